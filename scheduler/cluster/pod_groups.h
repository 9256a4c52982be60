// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a group of pods before it looks at nodes (KEP-4671): whether it may
// be tried, for whom its claims are kept, and how what became of it is said.
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

/// How many pods must be placed for any to be: a gang's minCount, else 1.
int64_t MinCountOf(const PodGroup& group);

/// What is wrong with pods that are to be scheduled as one, in upstream's words; empty: nothing.
/// They have the same scheduler and preemption policy, and the priority of their group.
std::string WhyNotAGroup(const PodGroup& group, std::span<const api::core_v1::Pod* const> pods);

/// The order in which pods of a group are placed: older first, then by name.
bool GoesBefore(const api::meta_v1::ObjectMeta& one, const api::meta_v1::ObjectMeta& other);

/// For whom each of the pod's claims is kept: for the group if that shares it. `claims`: those of
/// ResolveClaims.
std::vector<api::resource_v1::ResourceClaimConsumerReference> ConsumersOf(
    const api::core_v1::Pod& pod, std::span<const api::Object> claims, const PodGroup& group);

/// How far the placing of a group is.
struct GroupProgress {
  int64_t min_count = 1;
  int64_t scheduled = 0, remaining = 0;

  bool IsDone() const { return scheduled >= min_count; }
  bool IsHopeless() const { return scheduled + remaining < min_count; }
};
/// "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
std::string MessageOf(const GroupProgress& progress);

}  // namespace dray::scheduler::inline cluster
