// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_claims.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/device_class.h"
#include "base/try.h"

namespace dray::scheduler::inline classic {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
namespace classic = api::resource_v1alpha2;

constexpr const char* kInUse = "resourceclaim in use";
constexpr const char* kMustBeReallocated = "resourceclaim must be reallocated";
constexpr const char* kNotAllocatedYet = "unallocated immediate resourceclaim";

Result<> AddNodes(const api::Maybe<core_v1::NodeSelector>& selector, ClassicClaim& described) {
  if (!selector) return {};
  DRAY_TRY(api::NodeSelector parsed, api::NodeSelector::Parse(api::NodeTerms(*selector)));
  described.nodes.push_back(std::move(parsed));
  return {};
}

/// For 1.30: the class restricts the nodes and decides whether the scheduler allocates.
Result<> DescribeDemand(const classic::ResourceClaim& claim,
                        const ClassicLookups& lookups,
                        ClassicClaim& described) {
  described.is_immediate = claim.spec.allocation_mode == "Immediate";
  const std::string& name = claim.spec.resource_class_name;
  const api::Object* found = lookups.find_class(name);
  if (found == nullptr) {
    described.why_nowhere = fmt::format("resource class {} does not exist", name);
    return {};
  }
  const auto& resource_class = found->As<classic::ResourceClass>();
  described.by_scheduler = resource_class.structured_parameters.value_or(false);
  DRAY_TRY_VOID(AddNodes(resource_class.suitable_nodes, described));
  if (described.by_scheduler) {
    DRAY_TRY(StructuredDemand demand, lookups.find_demand(claim, resource_class));
    described.demand = std::move(demand.demand);
    described.why_nowhere = std::move(demand.why_not);
  } else if (described.is_immediate) {
    described.why_nowhere = kNotAllocatedYet;
  }
  return {};
}

/// For 1.31: each request has a class, and a node must suit all of them.
Result<> DescribeDemand(const resource_v1::ResourceClaim& claim,
                        const ClassicLookups& lookups,
                        ClassicClaim& described) {
  described.by_scheduler = claim.spec.controller.empty();
  for (const resource_v1::DeviceRequest& request : claim.spec.devices.requests) {
    if (!request.exactly) continue;
    const std::string& name = request.exactly->device_class_name;
    const api::Object* found = lookups.find_class(name);
    if (found == nullptr) {
      described.why_nowhere =
          fmt::format("request {}: device class {} does not exist", request.name, name);
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

/// Never: any number of pods may use such a claim, and the server enforces its limit.
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
                                   const ClassicLookups& lookups) {
  ClassicClaim described{.entry = EntryNameOf(pod, claim)};
  const auto describe = [&](const auto& value) -> Result<> {
    described.is_allocated = value.status.allocation.has_value();
    if (value.status.deallocation_requested) {
      described.why_nowhere = kMustBeReallocated;
      return {};
    }
    if (!described.is_allocated) return DescribeDemand(value, lookups, described);
    if (IsInUse(value) && !api::claims::IsReservedFor(value, pod.metadata.uid)) {
      described.why_nowhere = kInUse;
      return {};
    }
    return DescribeAllocation(value, described);
  };
  DRAY_TRY_VOID(api::claims::VisitClaim(claim, describe));
  return described;
}

}  // namespace dray::scheduler::inline classic
