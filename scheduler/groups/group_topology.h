// SPDX-License-Identifier: Apache-2.0
// Groups whose pods must be on nodes that share the value of a label (KEP-5732,
// schedulingConstraints.topology): the candidate domains, and the choice of the best.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "base/result.h"
#include "scheduler/cluster/domain.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cluster/pod_groups.h"
#include "scheduler/groups/group_attempt.h"

namespace dray::scheduler::inline groups {

/// The label whose value all nodes of the group must share; empty: no constraint.
std::string_view TopologyKeyOf(const PodGroup& group);

/// A pod of the group that is on a node or assumed there.
struct ScheduledMember {
  std::string key;  // "namespace/name"
  std::string node_name;
  const api::core_v1::Node* node = nullptr;  // null: the node does not exist
};

/// The candidate domains, ordered by value: only the domain of scheduled members, if there are any.
/// Nodes without the label are in no domain. O(nodes log nodes). Errors: kInternalError  members
/// are in two domains, or in none; in upstream's words.
Result<std::vector<Domain>> DomainsOf(std::string_view key,
                                      std::span<const NodeState* const> nodes,
                                      std::span<const ScheduledMember> scheduled);

/// Tries to place the group on the nodes of a domain, with up to `questions_max` trials for all
/// pods together; 0: only pod by pod.
using TryDomain = std::function<GroupOutcome(const Domain& domain, size_t questions_max)>;

/// Places a group in one of the domains: among those that fit, where most of its pods fit and which
/// would be the fullest; of equal ones the first. If no domain fits pod by pod, searches each
/// domain for all pods together. `scheduled` pods are placed already.
///
/// An error ends the search. Cost: an attempt for each domain, two if none fits. Source:
/// kube-scheduler's TopologyPlacementGenerator, PodGroupPodsCount, and NodeResourcesFit for
/// placements.
GroupOutcome PlaceInOneDomain(std::span<const Domain> domains,
                              std::span<const GroupMember> members,
                              size_t scheduled,
                              const TryDomain& try_domain);

}  // namespace dray::scheduler::inline groups
