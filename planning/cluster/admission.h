// SPDX-License-Identifier: Apache-2.0
// What the PriorityClasses, ResourceQuotas and LimitRanges of a cluster let in: pods that are not
// created yet, and claims that are made for pods.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/object.h"
#include "api/pods/priority.h"
#include "api/quota/charge.h"
#include "api/scheduling_v1.h"
#include "base/world.h"
#include "scheduler/cluster/cluster_cache.h"

namespace dray::planning::inline cluster {

/// Whether a server has stored the object: it said when.
bool IsStored(const api::Object& object);

/// A copy can be kept to go back to.
class Admission {
 public:
  /// A quota that nobody has counted is counted over the pods and claims of `cluster` that are
  /// stored. Costs O(quotas × objects) for those.
  Admission(std::vector<api::Object> quotas,
            std::vector<api::Object> limit_ranges,
            std::vector<api::Object> priority_classes,
            const scheduler::ClusterCache& cluster,
            WallTime now);

  /// Gives the new pod, or group of pods, its priority, and containers what LimitRanges say where
  /// they say nothing.
  void FillIn(api::Object& object) const;
  /// Why the server refuses the new object, in its words; empty: it is created, and its charge
  /// counts from now on. One that was let in before is there, and not charged again.
  std::string Admit(const api::Object& object, const scheduler::ClusterCache& cluster);

 private:
  std::optional<api::pods::PodPriority> PriorityOf(const api::Object& object) const;
  std::string WhyNoPriority(const api::Object& object) const;
  std::vector<api::core_v1::LimitRange> LimitRangesOf(const std::string& namespace_) const;

  std::vector<api::core_v1::ResourceQuota> quotas_;
  std::vector<api::core_v1::LimitRange> limit_ranges_;
  std::map<std::string, api::scheduling_v1::PriorityClass> priority_classes_;  // by name
  WallTime now_;
  std::set<std::string> created_;  // uids
};

}  // namespace dray::planning::inline cluster
