// SPDX-License-Identifier: Apache-2.0
// resource.k8s.io in all its versions. The structured versions have nearly equal structs, so each
// rule is a template over them. Upstream: pkg/apis/resource/*/defaults.go.
#include <span>

#include "api/defaults/kind_defaults.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "api/resource_v1beta2.h"

namespace dray::api::defaults {
namespace {

namespace a1 = resource_v1alpha1;
namespace a2 = resource_v1alpha2;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;
namespace b2 = resource_v1beta2;
namespace v1 = resource_v1;

constexpr int32_t kPoolsMax = 100;
// From 1.33 on a request without a class has alternatives, and gets no defaults.
constexpr Releases kHasAlternatives = {.first = 33, .last = 255};
// Only 1.36 had a multiplier in the mapping of devices to resources.
constexpr Releases kHasMultiplier = {.first = 36, .last = 36};

template <class Tolerations>
void SetTolerations(Tolerations& tolerations) {
  for (auto& toleration : tolerations) {
    if (toleration.operator_.empty()) toleration.operator_ = "Equal";
  }
}

// A count of 0 is the same as an absent one.
template <class Request>
void SetCount(Request& request) {
  if (request.allocation_mode.empty()) request.allocation_mode = "ExactCount";
  if (request.allocation_mode == "ExactCount" && request.count == 0) request.count = 1;
}

template <class Request>
void SetRequest(Request& request, const Context& context) {
  if constexpr (requires { request.exactly; }) {
    if (request.exactly.has_value()) {
      SetCount(*request.exactly);
      SetTolerations(request.exactly->tolerations);
    }
  } else {
    const bool is_bare =
        kHasAlternatives.Rules(context.release) && request.device_class_name.empty();
    if (!is_bare) SetCount(request);
    SetTolerations(request.tolerations);
  }
  for (auto& alternative : request.first_available) {
    SetCount(alternative);
    SetTolerations(alternative.tolerations);
  }
}

template <class Spec>
void SetClaimSpec(Spec& spec, const Context& context) {
  if constexpr (requires { spec.resource_class_name; }) {
    if (spec.allocation_mode.empty()) spec.allocation_mode = "WaitForFirstConsumer";
  } else {
    for (auto& request : spec.devices.requests) SetRequest(request, context);
  }
}

template <class Claim>
void SetClaim(void* object, const Context& context) {
  auto& claim = *static_cast<Claim*>(object);
  SetClaimSpec(claim.spec, context);
  if (!claim.status.allocation.has_value()) return;
  if constexpr (requires { claim.status.allocation->devices; }) {
    for (auto& result : claim.status.allocation->devices.results) {
      SetTolerations(result.tolerations);
    }
  }
}

template <class Template>
void SetTemplate(void* object, const Context& context) {
  SetClaimSpec(static_cast<Template*>(object)->spec.spec, context);
}

template <class Taint>
void SetTaint(Taint& taint, const Context& context) {
  if (!taint.time_added.has_value()) taint.time_added = context.now;
}

// Defaults of a device, or of its basic part.
template <class Facts>
void SetFacts(Facts& facts, const Context& context) {
  for (auto& taint : facts.taints) SetTaint(taint, context);
  if constexpr (requires { facts.node_allocatable_resource_mappings; }) {
    if (!kHasMultiplier.Rules(context.release)) return;
    for (auto& [resource, mapping] : facts.node_allocatable_resource_mappings) {
      if (!mapping.allocation_multiplier.has_value()) {
        mapping.allocation_multiplier = Quantity::FromInt(1);
      }
    }
  }
}

template <class Slice>
void SetSlice(void* object, const Context& context) {
  for (auto& device : static_cast<Slice*>(object)->spec.devices) {
    if constexpr (requires { device.basic; }) {
      if (device.basic.has_value()) SetFacts(*device.basic, context);
    } else {
      SetFacts(device, context);
    }
  }
}

template <class Rule>
void SetTaintRule(void* object, const Context& context) {
  SetTaint(static_cast<Rule*>(object)->spec.taint, context);
}

void SetPoolStatusRequest(void* object, const Context& /*context*/) {
  auto& limit = static_cast<a3::ResourcePoolStatusRequest*>(object)->spec.limit;
  if (!limit.has_value()) limit = kPoolsMax;
}

constexpr KindDefaults kResourceDefaults[] = {
    DefaultsOf<v1::ResourceClaim>(SetClaim<v1::ResourceClaim>),
    DefaultsOf<b2::ResourceClaim>(SetClaim<b2::ResourceClaim>),
    DefaultsOf<b1::ResourceClaim>(SetClaim<b1::ResourceClaim>),
    DefaultsOf<a3::ResourceClaim>(SetClaim<a3::ResourceClaim>),
    DefaultsOf<a2::ResourceClaim>(SetClaim<a2::ResourceClaim>),
    DefaultsOf<a1::ResourceClaim>(SetClaim<a1::ResourceClaim>),
    DefaultsOf<v1::ResourceClaimTemplate>(SetTemplate<v1::ResourceClaimTemplate>),
    DefaultsOf<b2::ResourceClaimTemplate>(SetTemplate<b2::ResourceClaimTemplate>),
    DefaultsOf<b1::ResourceClaimTemplate>(SetTemplate<b1::ResourceClaimTemplate>),
    DefaultsOf<a3::ResourceClaimTemplate>(SetTemplate<a3::ResourceClaimTemplate>),
    DefaultsOf<a2::ResourceClaimTemplate>(SetTemplate<a2::ResourceClaimTemplate>),
    DefaultsOf<a1::ResourceClaimTemplate>(SetTemplate<a1::ResourceClaimTemplate>),
    DefaultsOf<v1::ResourceSlice>(SetSlice<v1::ResourceSlice>),
    DefaultsOf<b2::ResourceSlice>(SetSlice<b2::ResourceSlice>),
    DefaultsOf<b1::ResourceSlice>(SetSlice<b1::ResourceSlice>),
    DefaultsOf<a3::ResourceSlice>(SetSlice<a3::ResourceSlice>),
    DefaultsOf<v1::DeviceTaintRule>(SetTaintRule<v1::DeviceTaintRule>),
    DefaultsOf<b2::DeviceTaintRule>(SetTaintRule<b2::DeviceTaintRule>),
    DefaultsOf<a3::DeviceTaintRule>(SetTaintRule<a3::DeviceTaintRule>),
    DefaultsOf<a3::ResourcePoolStatusRequest>(SetPoolStatusRequest),
};

}  // namespace

std::span<const KindDefaults> ResourceDefaults() {
  return kResourceDefaults;
}

}  // namespace dray::api::defaults
