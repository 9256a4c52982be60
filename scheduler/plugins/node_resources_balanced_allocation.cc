// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

/// The used part of CPU or memory.
struct UsedPart {
  int64_t requested;
  int64_t allocatable;
};

int64_t Balance(const UsedPart& cpu, const UsedPart& memory) {
  if (cpu.allocatable == 0 || memory.allocatable == 0) return kScoreMax;
  const auto fraction = [](const UsedPart& share) {
    return std::min(1.0,
                    static_cast<double>(share.requested) / static_cast<double>(share.allocatable));
  };
  const double deviation = std::abs((fraction(cpu) - fraction(memory)) / 2);
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kScoreMax));
}

/// How evenly CPU and memory are used with the pod on the node, compared with before.
int64_t ScoreBalance(const NodeNeeds& needs, const NodeState& node) {
  const int64_t asks_cpu = AmountIn(needs.requests, "cpu");
  const int64_t asks_memory = AmountIn(needs.requests, "memory");
  // Otherwise all pods without requests would go to the most uneven node.
  if (asks_cpu == 0 && asks_memory == 0) return 0;
  const int64_t cpu = AmountIn(node.allocatable, "cpu");
  const int64_t memory = AmountIn(node.allocatable, "memory");
  const int64_t used_cpu = AmountIn(node.requested, "cpu");
  const int64_t used_memory = AmountIn(node.requested, "memory");
  const int64_t with = Balance({.requested = used_cpu + asks_cpu, .allocatable = cpu},
                               {.requested = used_memory + asks_memory, .allocatable = memory});
  const int64_t without = Balance({.requested = used_cpu, .allocatable = cpu},
                                  {.requested = used_memory, .allocatable = memory});
  return kScoreMax / 2 + (kScoreMax / 2 + with - without) / 2;
}

}  // namespace

/// Prefers nodes whose CPU and memory would be used evenly.
extern const Plugin kNodeResourcesBalancedAllocation{
    .name = "NodeResourcesBalancedAllocation",
    .weight = 1,
    .score_node = ScoreBalance,
    .arguments = "resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]"};

}  // namespace dray::scheduler::inline plugins
