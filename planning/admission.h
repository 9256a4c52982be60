// SPDX-License-Identifier: Apache-2.0
// What the ResourceQuotas and LimitRanges of a cluster let in: pods that are not created yet, and
// claims that are made for pods.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/object.h"
#include "api/quota/charge.h"
#include "base/world.h"
#include "scheduler/cluster/cluster_cache.h"

namespace dray::planning {

/// Whether a server has stored the object: it said when.
bool IsStored(const api::Object& object);

/// A copy can be kept to go back to.
class Admission {
 public:
  /// A quota that nobody has counted is counted over the pods and claims of `cluster` that are
  /// stored. Costs O(quotas × objects) for those.
  Admission(std::vector<api::Object> quotas,
            std::vector<api::Object> limit_ranges,
            const scheduler::ClusterCache& cluster,
            WallTime now);

  /// Gives containers what LimitRanges say where they say nothing.
  void FillIn(api::core_v1::Pod& pod) const;
  /// Why the server refuses the new object, in its words; empty: it is created, and its charge
  /// counts from now on. One that was let in before is there, and not charged again.
  std::string Admit(const api::Object& object, const scheduler::ClusterCache& cluster);

 private:
  std::vector<api::core_v1::LimitRange> LimitRangesOf(const std::string& namespace_) const;

  std::vector<api::core_v1::ResourceQuota> quotas_;
  std::vector<api::core_v1::LimitRange> limit_ranges_;
  WallTime now_;
  std::set<std::string> created_;  // uids
};

}  // namespace dray::planning
