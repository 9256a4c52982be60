// SPDX-License-Identifier: Apache-2.0
// Classic claims and their templates.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/validation/devices/claim.h"
#include "api/validation/devices/classic.h"
#include "api/validation/field_error.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace classic = resource_v1alpha2;
using ClassicReferences = std::vector<classic::ResourceClaimConsumerReference>;

constexpr std::array<std::string_view, 2> kModes = {"Immediate", "WaitForFirstConsumer"};

void CheckSpec(const classic::ResourceClaimSpec& spec, const Path& path, FieldErrors& errors) {
  CheckSubdomainShaped(spec.resource_class_name, path.Child("resourceClassName"), errors);
  if (spec.parameters_ref.has_value()) {
    CheckParametersReference(*spec.parameters_ref, path.Child("parametersRef"), errors);
  }
  if (std::ranges::find(kModes, spec.allocation_mode) == kModes.end()) {
    errors.NotSupported(path.Child("allocationMode"), spec.allocation_mode, kModes);
  }
}

void CheckTemplateSpec(const classic::ResourceClaimTemplateSpec& spec,
                       const Path& path,
                       FieldErrors& errors) {
  CheckTemplateMetadata(spec.metadata, path.Child("metadata"), errors);
  CheckSpec(spec.spec, path.Child("spec"), errors);
}

void CheckStructuredHandle(const classic::StructuredResourceHandle& handle,
                           const Path& path,
                           FieldErrors& errors) {
  if (!handle.node_name.empty()) {
    CheckSubdomainShaped(handle.node_name, path.Child("nodeName"), errors);
  }
  const Path results = path.Child("results");
  for (size_t i = 0; i < handle.results.size(); ++i) {
    const auto& named = handle.results[i].allocation_result_model.named_resources;
    const Path at = results.Index(i);
    if (named.has_value()) {
      const Path model = at.Child("namedResources");
      CheckSubdomainShaped(named->name, model.Child("name"), errors);
    }
    CheckModel(named.has_value(), at, errors);
  }
}

void CheckHandles(const std::vector<classic::ResourceHandle>& handles,
                  const Path& path,
                  FieldErrors& errors) {
  for (size_t i = 0; i < handles.size(); ++i) {
    const classic::ResourceHandle& handle = handles[i];
    const Path at = path.Index(i);
    CheckDriver(handle.driver_name, at.Child("driverName"), errors);
    if (handle.data.size() > kClassicHandleBytesMax) {
      errors.TooLong(at.Child("data"), kClassicHandleBytesMax);
    }
    if (!handle.structured_data.has_value()) continue;
    CheckStructuredHandle(*handle.structured_data, at.Child("structuredData"), errors);
    if (!handle.data.empty()) {
      errors.Invalid(at, "null", "data and structuredData are mutually exclusive");
    }
  }
  if (handles.size() > kClassicHandlesMax) errors.TooMany(path, handles.size(), kClassicHandlesMax);
}

// v1alpha1 had no list, and no driver per handle.
void CheckOnlyHandle(const std::vector<classic::ResourceHandle>& handles,
                     const Path& path,
                     FieldErrors& errors) {
  if (!handles.empty() && handles.front().data.size() > kClassicHandleBytesMax) {
    errors.TooLong(path, kClassicHandleBytesMax);
  }
}

void CheckAllocation(const classic::AllocationResult& allocation,
                     const Options& options,
                     const Path& path,
                     FieldErrors& errors) {
  if (options.version != nullptr && options.version->version == "v1alpha1") {
    CheckOnlyHandle(allocation.resource_handles, path.Child("resourceHandle"), errors);
  } else {
    CheckHandles(allocation.resource_handles, path.Child("resourceHandles"), errors);
  }
  if (allocation.available_on_nodes.has_value()) {
    CheckNodeSelector(*allocation.available_on_nodes, path.Child("availableOnNodes"), errors);
  }
}

void CheckReservations(const ClassicReferences& references, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> uids;
  for (size_t i = 0; i < references.size(); ++i) {
    const Path at = path.Index(i);
    const Path uid = at.Child("uid");
    if (!uids.insert(references[i].uid).second) {
      errors.Duplicate(uid, Shown(references[i].uid));
      continue;
    }
    if (references[i].resource.empty()) errors.Required(at.Child("resource"));
    if (references[i].name.empty()) errors.Required(at.Child("name"));
    if (references[i].uid.empty()) errors.Required(uid);
  }
  if (references.size() > kClassicReservedForMax) {
    errors.TooMany(path, references.size(), kClassicReservedForMax);
  }
}

bool HasNewConsumer(const ClassicReferences& references, const ClassicReferences& old) {
  const auto key = [](const classic::ResourceClaimConsumerReference& one) {
    return std::tie(one.api_group, one.resource, one.name, one.uid);
  };
  return std::ranges::any_of(references, [&](const auto& reference) {
    return std::ranges::find(old, key(reference), key) == old.end();
  });
}

void CheckClassicReservationsAllowed(const classic::ResourceClaim& claim,
                                     const classic::ResourceClaim& old,
                                     const Path& path,
                                     FieldErrors& errors) {
  const auto& reserved_for = claim.status.reserved_for;
  if (reserved_for.empty()) return;
  if (!claim.status.allocation.has_value()) {
    errors.Forbidden(path, "may not be specified when `allocated` is not set");
    return;
  }
  if (!claim.status.allocation->shareable && reserved_for.size() > 1) {
    errors.Forbidden(path, "may not be reserved more than once");
  }
  const bool is_ending =
      claim.metadata.deletion_timestamp.has_value() || claim.status.deallocation_requested;
  if (is_ending && HasNewConsumer(reserved_for, old.status.reserved_for)) {
    errors.Forbidden(path,
                     "new entries may not be added while `deallocationRequested` or "
                     "`deletionTimestamp` are set");
  }
}

FieldErrors ClassicErrors() {
  return FieldErrors(Release::k1_30);
}

}  // namespace

std::vector<ErrorCause> ValidateClassicClaim(const classic::ResourceClaim& claim) {
  FieldErrors errors = ClassicErrors();
  CheckSpec(claim.spec, Path("spec"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClassicClaimUpdate(const classic::ResourceClaim& claim,
                                                   const classic::ResourceClaim& old) {
  FieldErrors errors = ClassicErrors();
  const Path spec("spec");
  // Upstream asks the rules of new claims both before and after.
  CheckSpec(claim.spec, spec, errors);
  if (claim.spec != old.spec) {
    errors.Invalid(spec,
                   GoSource(TypeOf<classic::ResourceClaimSpec>(), &claim.spec, Release::k1_30),
                   kImmutable);
  }
  CheckSpec(claim.spec, spec, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClassicClaimStatusUpdate(const classic::ResourceClaim& claim,
                                                         const classic::ResourceClaim& old,
                                                         const Options& options) {
  FieldErrors errors = ClassicErrors();
  const Path status("status");
  const Path driver = status.Child("driverName");
  const Path allocation = status.Child("allocation");
  const Path reserved_for = status.Child("reservedFor");
  const auto& given = claim.status.allocation;
  if (!claim.status.driver_name.empty()) {
    CheckDriver(claim.status.driver_name, driver, errors);
  } else if (given.has_value()) {
    errors.Required(driver, "must be specified when `allocation` is set");
  }
  if (given.has_value()) CheckAllocation(*given, options, allocation, errors);
  CheckReservations(claim.status.reserved_for, reserved_for, errors);
  CheckClassicReservationsAllowed(claim, old, reserved_for, errors);
  if (given.has_value() && old.status.allocation.has_value() && *given != *old.status.allocation) {
    errors.Invalid(allocation,
                   GoSource(TypeOf<classic::AllocationResult>(), &*given, Release::k1_30),
                   kImmutable);
  }
  CheckDeallocationRequest({.was_requested = old.status.deallocation_requested,
                            .is_requested = claim.status.deallocation_requested,
                            .is_reserved = !claim.status.reserved_for.empty(),
                            .is_allocated = given.has_value()},
                           status,
                           errors);
  return std::move(errors).Take();
}

void CheckDeallocationRequest(const DeallocationRequest& request,
                              const Path& status,
                              FieldErrors& errors) {
  const Path requested = status.Child("deallocationRequested");
  if (!request.was_requested && request.is_requested && request.is_reserved) {
    errors.Forbidden(requested, "deallocation cannot be requested while `reservedFor` is set");
  }
  if (!request.is_allocated && request.is_requested) {
    errors.Forbidden(status, "`allocation` must be set when `deallocationRequested` is set");
  }
  // The driver may have begun to deallocate; it removes the request together with the allocation.
  if (request.was_requested && !request.is_requested && request.is_allocated) {
    errors.Forbidden(requested, "may not be cleared when `allocation` is set");
  }
}

std::vector<ErrorCause> ValidateClassicClaimTemplate(
    const classic::ResourceClaimTemplate& claim_template) {
  FieldErrors errors = ClassicErrors();
  CheckTemplateSpec(claim_template.spec, Path("spec"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClassicClaimTemplateUpdate(
    const classic::ResourceClaimTemplate& changed, const classic::ResourceClaimTemplate& old) {
  FieldErrors errors = ClassicErrors();
  const Path spec("spec");
  CheckTemplateSpec(changed.spec, spec, errors);
  if (changed.spec != old.spec) {
    errors.Invalid(
        spec,
        GoSource(TypeOf<classic::ResourceClaimTemplateSpec>(), &changed.spec, Release::k1_30),
        kImmutable);
  }
  CheckTemplateSpec(changed.spec, spec, errors);
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline devices
