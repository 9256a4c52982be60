// SPDX-License-Identifier: Apache-2.0
#include "api/validation/rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/core_v1/event.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/validation/claim.h"
#include "api/validation/classic_kinds.h"
#include "api/validation/core.h"
#include "api/validation/device_class.h"
#include "api/validation/device_taint_rule.h"
#include "api/validation/field_error.h"
#include "api/validation/kind_rules.h"
#include "api/validation/pool_status_request.h"
#include "api/validation/resource_slice.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;
using Causes = std::vector<Cause>;

constexpr Rules kClaim = {
    .type = &TypeOf<v1::ResourceClaim>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateClaim(object.As<v1::ResourceClaim>(), options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateClaimUpdate(
              object.As<v1::ResourceClaim>(), old.As<v1::ResourceClaim>(), options);
        },
    .status =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateClaimStatusUpdate(
              object.As<v1::ResourceClaim>(), old.As<v1::ResourceClaim>(), options);
        }};

constexpr Rules kClaimTemplate = {
    .type = &TypeOf<v1::ResourceClaimTemplate>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateClaimTemplate(object.As<v1::ResourceClaimTemplate>(), options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateClaimTemplateUpdate(
              object.As<v1::ResourceClaimTemplate>(), old.As<v1::ResourceClaimTemplate>(), options);
        }};

constexpr Rules kDeviceClass = {
    .type = &TypeOf<v1::DeviceClass>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateDeviceClass(object.As<v1::DeviceClass>(), nullptr, options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateDeviceClass(
              object.As<v1::DeviceClass>(), &old.As<v1::DeviceClass>(), options);
        }};

constexpr Rules kSlice = {
    .type = &TypeOf<v1::ResourceSlice>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateSlice(object.As<v1::ResourceSlice>(), nullptr, options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateSlice(
              object.As<v1::ResourceSlice>(), &old.As<v1::ResourceSlice>(), options);
        }};

constexpr Rules kTaintRule = {
    .type = &TypeOf<v1::DeviceTaintRule>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateTaintRule(object.As<v1::DeviceTaintRule>(), nullptr, options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateTaintRule(
              object.As<v1::DeviceTaintRule>(), &old.As<v1::DeviceTaintRule>(), options);
        },
    .status =
        [](const Object& object, const Object&, const Options& options) {
          return ValidateTaintRuleStatus(object.As<v1::DeviceTaintRule>(), options);
        }};

using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequest;
constexpr Rules kPoolRequest = {
    .type = &TypeOf<PoolRequest>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidatePoolRequest(object.As<PoolRequest>(), options);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidatePoolRequestUpdate(
              object.As<PoolRequest>(), old.As<PoolRequest>(), options);
        },
    .status =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidatePoolRequestStatus(
              object.As<PoolRequest>(), old.As<PoolRequest>(), options);
        }};

constexpr Rules kPod = {
    .type = &TypeOf<core_v1::Pod>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidatePod(object.As<core_v1::Pod>(), options.profile);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidatePodUpdate(
              object.As<core_v1::Pod>(), old.As<core_v1::Pod>(), options.profile);
        },
    .status =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidatePodStatusUpdate(
              object.As<core_v1::Pod>(), old.As<core_v1::Pod>(), options.profile);
        }};

constexpr Rules kNode = {
    .type = &TypeOf<core_v1::Node>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateNode(object.As<core_v1::Node>(), nullptr, options.profile);
        },
    .update =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateNode(
              object.As<core_v1::Node>(), &old.As<core_v1::Node>(), options.profile);
        }};

constexpr Rules kEvent = {
    .type = &TypeOf<core_v1::Event>,
    .create = [](const Object& object,
                 const Options&) { return ValidateEvent(object.As<core_v1::Event>()); },
    .update = [](const Object& object,
                 const Object&,
                 const Options&) { return ValidateEvent(object.As<core_v1::Event>()); }};

constexpr std::array<const Rules*, 9> kAllRules = {&kClaim,
                                                   &kClaimTemplate,
                                                   &kDeviceClass,
                                                   &kSlice,
                                                   &kTaintRule,
                                                   &kPoolRequest,
                                                   &kPod,
                                                   &kNode,
                                                   &kEvent};

const Rules* FindIn(std::span<const Rules* const> rules, const Type& type) {
  const auto found =
      std::ranges::find_if(rules, [&](const Rules* one) { return &one->type() == &type; });
  return found == rules.end() ? nullptr : *found;
}

const Rules* RulesOf(const Object& object) {
  const Rules* const rules = FindIn(kAllRules, object.type());
  return rules != nullptr ? rules : FindIn(ClassicRules(), object.type());
}

// Finalizers are looked at together with the metadata, so they come first.
Causes WithFinalizers(const Object& object, Causes causes) {
  Causes all = CheckFinalizerNames(object.metadata());
  std::ranges::move(causes, std::back_inserter(all));
  return all;
}

// Since 1.37 what is found twice is told once.
Causes Told(Causes causes, const Options& options) {
  if (!options.profile.Since(37)) return causes;
  std::set<std::string> seen;
  std::erase_if(causes, [&](const Cause& cause) {
    return !seen.insert(fmt::format("{} {} {}", cause.reason, cause.field, cause.message)).second;
  });
  return causes;
}

bool HasCapitals(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

std::vector<Cause> ValidateCreate(const Object& object, const Options& options) {
  const Rules* const rules = RulesOf(object);
  if (rules == nullptr) return {};
  return Told(WithFinalizers(object, rules->create(object, options)), options);
}

std::vector<Cause> ValidateUpdate(const Object& object, const Object& old, const Options& options) {
  const Rules* const rules = RulesOf(object);
  if (rules == nullptr) return {};
  Causes causes = rules->update(object, old, options);
  // Before, they belonged to the rules for changed metadata.
  if (!options.profile.Since(37)) return causes;
  return Told(WithFinalizers(object, std::move(causes)), options);
}

std::vector<Cause> ValidateStatusUpdate(const Object& object,
                                        const Object& old,
                                        const Options& options) {
  const Rules* const rules = RulesOf(object);
  if (rules == nullptr || rules->status == nullptr) return {};
  return Told(rules->status(object, old, options), options);
}

std::vector<std::string> Warnings(const Object& object, const Profile& profile) {
  const auto* slice = object.If<v1::ResourceSlice>();
  if (slice == nullptr || !profile.Since(35) || !HasCapitals(slice->spec.driver)) return {};
  return {
      fmt::format("spec.driver: driver names should be lowercase; {} contains uppercase characters",
                  Shown(slice->spec.driver))};
}

}  // namespace dray::api::validation
