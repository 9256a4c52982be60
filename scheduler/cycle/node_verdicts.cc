// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/node_verdicts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "scheduler/plugins/table.h"

namespace dray::scheduler::inline cycle {

NodeVerdict JudgeNode(const NodeNeeds& needs, const NodeState& node) {
  if (std::optional<Obstacle> obstacle = FilterNode(needs, node)) {
    return {.obstacle = std::make_shared<const Obstacle>(*std::move(obstacle))};
  }
  return {.obstacle = nullptr, .score = NodeScore(needs, node)};
}

const NodeVerdict* VerdictsForNeeds::Find(const NodeState& node) const {
  const auto [version, slot] = std::pair(node.version.number, node.version.slot);
  if (version == 0 || slot >= kept_.size() || kept_[slot].version != version) return nullptr;
  return &kept_[slot].verdict;
}

void VerdictsForNeeds::Keep(const NodeState& node, const NodeVerdict& verdict) {
  if (node.version.number == 0) return;
  const size_t slot = node.version.slot;
  if (slot >= kept_.size()) kept_.resize(slot + 1);
  kept_[slot] = {.version = node.version.number, .verdict = verdict};
}

VerdictsForNeeds& NodeVerdicts::For(const NodeNeeds& needs) {
  const auto known = std::ranges::find(by_needs_, needs, &VerdictsForNeeds::needs);
  if (known != by_needs_.end()) {
    by_needs_.splice(by_needs_.begin(), by_needs_, known);
  } else {
    if (by_needs_.size() == kNeedsMax) by_needs_.pop_back();
    by_needs_.emplace_front(needs);
  }
  return by_needs_.front();
}

}  // namespace dray::scheduler::inline cycle
