// SPDX-License-Identifier: Apache-2.0
// Facts about a group of pods that do not depend on nodes (KEP-4671): whether it may be tried, for
// whom its claims are reserved, and the messages about its outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/scheduling_v1beta1.h"

namespace dray::scheduler::inline cluster {

using api::scheduling_v1beta1::PodGroup;

/// The least number of pods that must be placed together: a gang's minCount, else 1.
int64_t MinCountOf(const PodGroup& group);

/// Why the pods cannot be scheduled as a group, in upstream's words; empty: they can. They must
/// have the same scheduler and preemption policy, and the priority of their group.
std::string WhyNotAGroup(const PodGroup& group, std::span<const api::core_v1::Pod* const> pods);

/// The order in which pods of a group are placed: by age, oldest first, then by name.
bool GoesBefore(const api::meta_v1::ObjectMeta& one, const api::meta_v1::ObjectMeta& other);

/// The consumer that each of the pod's claims is reserved for: the group if it shares the claim,
/// else the pod. `claims`: those of ResolveClaims.
std::vector<api::resource_v1::ResourceClaimConsumerReference> ConsumersOf(
    const api::core_v1::Pod& pod, std::span<const api::Object> claims, const PodGroup& group);

/// Counts of a group's pods while it is placed.
struct GroupProgress {
  int64_t min_count = 1;
  int64_t scheduled = 0, remaining = 0;

  bool IsDone() const { return scheduled >= min_count; }
  bool IsHopeless() const { return scheduled + remaining < min_count; }
};
/// "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
std::string MessageOf(const GroupProgress& progress);

}  // namespace dray::scheduler::inline cluster
