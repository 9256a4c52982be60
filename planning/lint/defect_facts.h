// SPDX-License-Identifier: Apache-2.0
// The cluster in which signs of known defects are searched, with indexes for frequent lookups.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "dray/device_id.h"
#include "dray/features.h"
#include "planning/lint/lint_claims.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/request_ways.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline lint {

/// Not thread-safe. All arguments must outlive it.
class DefectFacts {
 public:
  /// O((devices + results of claims + pods) * log).
  DefectFacts(const OfflineObjects& cluster, const ClassesByName& classes, LintDevices& devices);

  const OfflineObjects& cluster() const { return cluster_; }
  const LintDevices& devices() const { return devices_; }

  /// Null if the class does not exist or a selector does not compile.
  const LintChoice* Choose(const RequestWay& way);
  /// The first device that the request may get and for which `is_wanted`; null: there is none.
  template <class Wanted>
  const PopulationDevice* FindMatching(const RequestWay& way, Wanted is_wanted);

  /// Null if no slice of the pool's newest generation has it.
  const PopulationDevice* Find(const allocator::DeviceIdView& device) const;

  /// A device, or a share of one, that a claim has.
  struct Given {
    const api::resource_v1::ResourceClaim* claim;
    const api::resource_v1::DeviceRequestAllocationResult* result;
  };
  /// The claims' allocations of the device, admin access included.
  const std::vector<Given>& GivenOf(const allocator::DeviceIdView& device) const;

  const api::resource_v1::ResourceClaim* ClaimOf(std::string_view key) const;
  const api::core_v1::Pod* PodOf(const std::string& namespace_, const std::string& name) const;
  /// The pods that name the claim "namespace/name", in spec or status.
  const std::vector<const api::core_v1::Pod*>& UsersOf(const std::string& key) const;
  /// The pools of that name, of all drivers.
  const std::vector<const PopulationPool*>& PoolsNamed(std::string_view name) const;
  /// Whether claims consume more of a counter than the pool has.
  bool IsOverdrawn(std::string_view driver, std::string_view pool) const;

 private:
  const OfflineObjects& cluster_;
  const ClassesByName& classes_;
  LintDevices& devices_;
  std::map<allocator::DeviceIdView, size_t> lanes_;  // in the population of devices_
  std::map<std::string_view, std::vector<const PopulationPool*>> pools_;
  std::map<allocator::DeviceIdView, std::vector<Given>> given_;
  std::map<std::string, const api::core_v1::Pod*, std::less<>> pods_;
  std::map<std::string, std::vector<const api::core_v1::Pod*>, std::less<>> users_;
};

/// Evidence that an object meets a defect.
struct DefectEvidence {
  std::string field;
  std::string what;      // "request gpu may get gpu.example.com/a/gpu-0"
  bool is_seen = false;  // the defect has struck; false: it may strike
};
/// Absent: the object does not meet the defect.
using DefectSign = std::optional<DefectEvidence> (*)(const api::Object& object, DefectFacts& facts);

template <class Wanted>
const PopulationDevice* DefectFacts::FindMatching(const RequestWay& way, Wanted is_wanted) {
  const LintChoice* const choice = Choose(way);
  if (choice == nullptr) return nullptr;
  const PopulationDevice* found = nullptr;
  choice->chosen.matching.ForEach([&](size_t lane) {
    const PopulationDevice& device = devices_.population().devices()[lane];
    if (found == nullptr && is_wanted(device)) found = &device;
  });
  return found;
}

}  // namespace dray::planning::inline lint
