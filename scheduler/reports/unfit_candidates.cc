// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/unfit_candidates.h"

#include <utility>

namespace dray::scheduler::inline reports {

void UnfitCandidates::Add(const NodeState& node) {
  allocator::search::NodeProspect prospect = prospects_.Of(node.value());
  Group group{.is_unknown = prospect.is_unknown,
              .missing = prospect.missing(),
              .not_matching = -prospect.matching(),
              .prospect = std::move(prospect)};
  groups_[std::move(group)].push_back(&node);
  ++size_;
}

std::vector<const NodeState*> UnfitCandidates::InTurns() const {
  std::vector<const std::vector<const NodeState*>*> left;
  left.reserve(groups_.size());
  for (const auto& [group, members] : groups_) left.push_back(&members);
  std::vector<const NodeState*> nodes;
  nodes.reserve(size_);
  for (size_t turn = 0; !left.empty(); ++turn) {
    std::erase_if(left, [&](const auto* members) { return members->size() == turn; });
    for (const auto* members : left) nodes.push_back((*members)[turn]);
  }
  return nodes;
}

}  // namespace dray::scheduler::inline reports
