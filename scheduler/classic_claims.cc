// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic_claims.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/device_class.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
namespace classic = api::resource_v1alpha2;

constexpr const char* kInUse = "resourceclaim in use";
constexpr const char* kMustBeReallocated = "resourceclaim must be reallocated";
// Our own words (docs/differences.md).
constexpr const char* kNotAllocatedHere = "structured parameters are not allocated";
constexpr const char* kNotAllocatedYet = "unallocated immediate resourceclaim";

Result<> AddNodes(const std::optional<core_v1::NodeSelector>& selector, ClassicClaim& described) {
  if (!selector) return {};
  DRAY_TRY(api::NodeSelector parsed, api::NodeSelector::Parse(api::NodeTerms(*selector)));
  described.nodes.push_back(std::move(parsed));
  return {};
}

void MissClass(std::string why, ClassicClaim& described) {
  described.why_nowhere = std::move(why);
  described.waits_for_class = true;
}

/// Of 1.30: the class says which nodes may be considered and who allocates.
Result<> DescribeWish(const classic::ResourceClaim& claim,
                      const ClassLookup& find_class,
                      ClassicClaim& described) {
  described.is_immediate = claim.spec.allocation_mode == "Immediate";
  const std::string& name = claim.spec.resource_class_name;
  const api::Object* found = find_class(name);
  if (found == nullptr) {
    MissClass(fmt::format("resource class {} does not exist", name), described);
    return {};
  }
  const auto& resource_class = found->As<classic::ResourceClass>();
  described.by_scheduler = resource_class.structured_parameters.value_or(false);
  if (described.is_immediate && !described.by_scheduler) described.why_nowhere = kNotAllocatedYet;
  if (described.by_scheduler) described.why_nowhere = kNotAllocatedHere;
  return AddNodes(resource_class.suitable_nodes, described);
}

/// Of 1.31: each request has a class; nodes must suit all of them.
Result<> DescribeWish(const resource_v1::ResourceClaim& claim,
                      const ClassLookup& find_class,
                      ClassicClaim& described) {
  described.by_scheduler = claim.spec.controller.empty();
  for (const resource_v1::DeviceRequest& request : claim.spec.devices.requests) {
    if (!request.exactly) continue;
    const std::string& name = request.exactly->device_class_name;
    const api::Object* found = find_class(name);
    if (found == nullptr) {
      MissClass(fmt::format("request {}: device class {} does not exist", request.name, name),
                described);
      return {};
    }
    const auto& suitable = found->As<resource_v1::DeviceClass>().spec.suitable_nodes;
    if (!described.by_scheduler) DRAY_TRY_VOID(AddNodes(suitable, described));
  }
  return {};
}

bool IsInUse(const classic::ResourceClaim& claim) {
  return !claim.status.allocation->shareable && !claim.status.reserved_for.empty();
}

/// What allows any number of consumers is never in use: the server counts them.
bool IsInUse(const resource_v1::ResourceClaim& /*claim*/) {
  return false;
}

Result<> DescribeAllocation(const classic::ResourceClaim& claim, ClassicClaim& described) {
  described.is_immediate = claim.spec.allocation_mode == "Immediate";
  described.by_scheduler =
      std::ranges::count(claim.metadata.finalizers, api::claims::kClassicFinalizer) > 0;
  return AddNodes(claim.status.allocation->available_on_nodes, described);
}

Result<> DescribeAllocation(const resource_v1::ResourceClaim& claim, ClassicClaim& described) {
  described.by_scheduler = claim.status.allocation->controller.empty();
  return AddNodes(claim.status.allocation->node_selector, described);
}

}  // namespace

bool IsDrivers(const api::Object& claim) {
  if (api::claims::IsClassic(claim)) return true;
  const auto& value = claim.As<resource_v1::ResourceClaim>();
  return !value.spec.controller.empty() ||
         (value.status.allocation && !value.status.allocation->controller.empty());
}

std::string EntryNameOf(const core_v1::Pod& pod, const api::Object& claim) {
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const api::claims::Target target = api::claims::TargetOf(pod, entry);
    if (target.name == claim.metadata().name) return entry.name;
  }
  return {};
}

Result<ClassicClaim> DescribeClaim(const core_v1::Pod& pod,
                                   const api::Object& claim,
                                   const ClassLookup& find_class) {
  ClassicClaim described{.entry = EntryNameOf(pod, claim)};
  const auto describe = [&](const auto& value) -> Result<> {
    described.is_allocated = value.status.allocation.has_value();
    if (value.status.deallocation_requested) {
      described.why_nowhere = kMustBeReallocated;
      return {};
    }
    if (!described.is_allocated) return DescribeWish(value, find_class, described);
    if (IsInUse(value) && !api::claims::IsReservedFor(value, pod.metadata.uid)) {
      described.why_nowhere = kInUse;
      return {};
    }
    return DescribeAllocation(value, described);
  };
  DRAY_TRY_VOID(api::claims::VisitClaim(claim, describe));
  return described;
}

}  // namespace dray::scheduler
