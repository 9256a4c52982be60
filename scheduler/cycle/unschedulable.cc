// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/unschedulable.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/either_claim.h"

namespace dray::scheduler::inline cycle {
namespace {

/// "0/3 nodes are available: 1 x, 2 y", for reasons that are given once per node.
std::string CountReasons(size_t nodes, const std::map<std::string, size_t, std::less<>>& counts) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, reason));
  }
  std::ranges::sort(parts);  // upstream sorts the finished texts: "10 x" before "2 x"
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(parts, ", "));
}

}  // namespace

std::string ReasonsOf(const Unschedulable& result) {
  if (result.nodes == 0) return "no nodes available to schedule pods";
  if (!result.claim_reason.empty()) {
    return fmt::format("0/{} nodes are available: {}.", result.nodes, result.claim_reason);
  }
  std::map<std::string, size_t, std::less<>> counts;
  for (const std::string& reason : result.node_reasons) ++counts[reason];
  return CountReasons(result.nodes, counts);
}

std::string MessageOf(const Unschedulable& result, GivenUp given_up) {
  std::string message = ReasonsOf(result);
  if (result.nodes == 0) return message;
  if (result.claims_unread) return message + " not found";
  if (given_up == GivenUp::kAllocation) message += " deallocation of ResourceClaim completed,";
  if (given_up == GivenUp::kClaim) message += " deletion of ResourceClaim completed,";
  if (given_up == GivenUp::kNoNewClaims) message += " no new claims to deallocate,";
  if (given_up == GivenUp::kStillNothing) message += " still not schedulable,";
  if (!result.not_preempting.empty()) {
    return fmt::format("{} preemption: {}", message, result.not_preempting);
  }
  if (result.preemption.has_value()) {
    return fmt::format(
        "{} preemption: found a potential placement for pod on node {}, preempting {} victims",
        message,
        result.preemption->name,
        result.preemption->victims.size());
  }
  std::map<std::string, size_t, std::less<>> preemption{
      {"Preemption is not helpful for scheduling", result.unresolvable_nodes}};
  for (const std::string& reason : result.preemption_reasons) ++preemption[reason];
  return fmt::format("{} preemption: {}", message, CountReasons(result.nodes, preemption));
}

std::optional<size_t> ClaimToDeallocate(const Unschedulable& result,
                                        std::span<const api::Object> claims,
                                        std::string_view pod_uid) {
  for (const size_t index : result.unavailable_claims) {
    const bool is_free = api::claims::VisitClaim(claims[index], [&](const auto& claim) {
      const auto& reserved = claim.status.reserved_for;
      return reserved.empty() || (reserved.size() == 1 && reserved[0].uid == pod_uid);
    });
    if (is_free) return index;
  }
  return std::nullopt;
}

}  // namespace dray::scheduler::inline cycle
