// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

bool AreAtOdds(const HostPort& wanted, const HostPort& taken) {
  constexpr std::string_view kAll = "0.0.0.0";
  return wanted.port == taken.port && wanted.protocol == taken.protocol &&
         (wanted.ip == taken.ip || wanted.ip == kAll || taken.ip == kAll);
}

bool HasFreePorts(const NodeNeeds& needs, const NodeState& state) {
  return std::ranges::none_of(needs.ports, [&](const HostPort& wanted) {
    return std::ranges::any_of(state.ports,
                               [&](const auto& taken) { return AreAtOdds(wanted, taken.first); });
  });
}

std::optional<Rejection> FilterPorts(const NodeNeeds& needs, const NodeState& node) {
  if (HasFreePorts(needs, node)) return std::nullopt;
  return Rejection{.reasons = {"node(s) didn't have free ports for the requested pod ports"},
                   .unresolvable = false};
}

}  // namespace

/// Two pods of a node cannot have the same host port.
extern const Plugin kNodePorts{.name = "NodePorts", .filter_node = FilterPorts};

}  // namespace dray::scheduler::inline plugins
