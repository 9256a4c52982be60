// SPDX-License-Identifier: Apache-2.0
// Groups whose pods must be near each other: on nodes that share the value of a label (KEP-5732,
// schedulingConstraints.topology). Which sets of nodes come into question, and which is the best.
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

/// The label whose value the nodes of all pods of the group share; empty: any nodes will do.
std::string_view TopologyKeyOf(const PodGroup& group);

/// A pod of the group that is on a node, or about to be.
struct ScheduledMember {
  std::string key;  // "namespace/name"
  std::string node_name;
  const api::core_v1::Node* node = nullptr;  // null: there is no such node
};

/// The domains that come into question, in order of their values: where members are scheduled, only
/// theirs. Nodes without the label are in none. O(nodes log nodes).
/// Errors: kInternalError  members are in two domains, or in none; in upstream's words.
Result<std::vector<Domain>> DomainsOf(std::string_view key,
                                      std::span<const NodeState* const> nodes,
                                      std::span<const ScheduledMember> scheduled);

/// Tries to place the group on the nodes of a domain, with so many questions about all its pods
/// together; 0: only one after the other.
using TryDomain = std::function<GroupOutcome(const Domain& domain, size_t questions_max)>;

/// Places a group on one of the domains: of those that do, where most of its pods fit and which
/// would be the fullest; of equal ones the first. Only when no domain does for pods placed one
/// after the other, all of them are searched for together, in each. `scheduled` are placed already.
///
/// A failure ends it. Cost: an attempt for each domain, twice where none does.
/// Source: kube-scheduler's TopologyPlacementGenerator, PodGroupPodsCount, and NodeResourcesFit for
/// placements.
GroupOutcome PlaceInOneDomain(std::span<const Domain> domains,
                              std::span<const GroupMember> members,
                              size_t scheduled,
                              const TryDomain& try_domain);

}  // namespace dray::scheduler::inline groups
