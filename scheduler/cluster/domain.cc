// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/domain.h"

namespace dray::scheduler::inline cluster {
namespace {

const std::string& NameIn(const NodeState* node) {
  return node->value().metadata.name;
}

}  // namespace

std::vector<const NodeState*> Among(std::span<const NodeState* const> nodes, const Domain& domain) {
  std::vector<const NodeState*> found;
  found.reserve(domain.nodes.size());
  auto next = domain.nodes.begin();
  for (const NodeState* node : nodes) {
    while (next != domain.nodes.end() && NameIn(*next) < NameIn(node)) ++next;
    if (next == domain.nodes.end()) break;
    if (NameIn(*next) == NameIn(node)) found.push_back(node);
  }
  return found;
}

}  // namespace dray::scheduler::inline cluster
