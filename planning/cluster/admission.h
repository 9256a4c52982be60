// SPDX-License-Identifier: Apache-2.0
// Admission by the PriorityClasses, ResourceQuotas and LimitRanges of a cluster: for pods that are
// not created yet, and for claims that are made for pods.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
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

/// Whether a server has stored the object: it has a creation timestamp.
bool IsStored(const api::Object& object);

/// Copyable, so that a caller can restore an earlier state.
class Admission {
 public:
  /// The use of a quota without status is computed from the stored pods and claims of `cluster`.
  /// O(quotas × objects) for those.
  Admission(std::span<const api::Object> quotas,
            std::span<const api::Object> limit_ranges,
            std::span<const api::Object> priority_classes,
            const scheduler::ClusterCache& cluster,
            WallTime now);

  /// Sets the priority of a new pod or group of pods, and the defaults of LimitRanges in its
  /// containers.
  void FillIn(api::Object& object) const;
  /// Why the server rejects the new object, in its words; empty: it is created, and its use is
  /// charged to the quotas. An object that was admitted before is not charged again.
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
