// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_dialogue.h"

#include <algorithm>
#include <utility>

namespace dray::scheduler::inline classic {
namespace {

using api::resource_v1alpha2::PodSchedulingContext;
using Answer = api::resource_v1alpha2::ResourceClaimSchedulingStatus;

constexpr const char* kUnsuitable = "resourceclaim cannot be allocated for the node (unsuitable)";
constexpr const char* kUnavailable = "resourceclaim not available on the node";

bool IsPending(const ClassicClaim& claim) {
  return !claim.is_allocated && !claim.by_scheduler;
}

/// The answer of the claim's driver; null: there is none yet.
const Answer* AnswerFor(const ClassicClaim& claim, const PodSchedulingContext* context) {
  if (context == nullptr) return nullptr;
  const auto& answers = context->status.resource_claims;
  const auto found = std::ranges::find(answers, claim.entry, &Answer::name);
  return found == answers.end() ? nullptr : &*found;
}

/// Why the scheduler cannot allocate the claim on the node; empty: it can.
std::string WhyNotAllocated(const ClassicClaim& claim, allocator::InstancesOnNode& instances) {
  const auto found = instances.Allocate(*claim.demand);
  if (!found) return "checking structured parameters failed: " + found.error().message;
  return found->has_value() ? "" : kUnsuitable;
}

bool Matches(const ClassicClaim& claim, const api::core_v1::Node& node) {
  return std::ranges::all_of(claim.nodes, [&](const api::NodeSelector& nodes) {
    return nodes.Matches(node.metadata.labels, node.metadata.name);
  });
}

/// The nodes to ask about, sorted; empty: the drivers were asked about enough fitting nodes.
std::vector<std::string> NodesToAskAbout(const PodSchedulingContext* context,
                                         const std::vector<std::string>& fitting) {
  std::vector<std::string> asked, others;
  for (const std::string& node : fitting) {
    const bool is_asked =
        context != nullptr && std::ranges::count(context->spec.potential_nodes, node) > 0;
    (is_asked ? asked : others).push_back(node);
  }
  const size_t wanted = std::min(fitting.size(), kPotentialNodesMax);
  if (asked.size() >= wanted) return {};
  asked.insert(asked.end(),
               others.begin(),
               others.begin() + static_cast<std::ptrdiff_t>(wanted - asked.size()));
  std::ranges::sort(asked);
  return asked;
}

}  // namespace

const ClassicClaim* FindObstacle(std::span<const ClassicClaim> claims) {
  const auto found = std::ranges::find_if(
      claims, [](const ClassicClaim& claim) { return !claim.why_nowhere.empty(); });
  return found == claims.end() ? nullptr : &*found;
}

NodeObjection ObjectionTo(const api::core_v1::Node& node,
                          std::span<const ClassicClaim> claims,
                          const PodSchedulingContext* context,
                          ClassicClaims generation,
                          allocator::InstancesOnNode& instances) {
  NodeObjection objection;
  for (size_t i = 0; i < claims.size(); ++i) {
    const ClassicClaim& claim = claims[i];
    const bool matches = Matches(claim, node);
    if (claim.is_allocated) {
      if (!matches) objection.unavailable.push_back(i);
      continue;
    }
    if (!matches) {
      return {.reason = generation == ClassicClaims::kAll ? "excluded by resource class node filter"
                                                          : "excluded by device class node filter",
              .unavailable = {}};
    }
    if (claim.demand != nullptr) {
      std::string why_not = WhyNotAllocated(claim, instances);
      if (!why_not.empty()) return {.reason = std::move(why_not), .unavailable = {}};
    }
    const Answer* answer = claim.by_scheduler ? nullptr : AnswerFor(claim, context);
    if (answer != nullptr && std::ranges::count(answer->unsuitable_nodes, node.metadata.name) > 0) {
      return {.reason = kUnsuitable, .unavailable = {}};
    }
  }
  if (!objection.unavailable.empty()) objection.reason = kUnavailable;
  return objection;
}

NextStep NextStepOf(std::span<const ClassicClaim> claims,
                    const PodSchedulingContext* context,
                    const std::vector<std::string>& fitting,
                    const std::string& node) {
  const auto pending = std::ranges::count_if(claims, IsPending);
  if (pending == 0) return {.kind = NextStep::Kind::kBind, .spec = {}};
  const auto answered = std::ranges::count_if(claims, [&](const ClassicClaim& claim) {
    return IsPending(claim) && AnswerFor(claim, context) != nullptr;
  });
  NextStep step{.kind = NextStep::Kind::kWait, .spec = {}};
  if (context != nullptr) step.spec = context->spec;
  if (std::vector<std::string> nodes = NodesToAskAbout(context, fitting); !nodes.empty()) {
    step.spec.potential_nodes.assign(nodes.begin(), nodes.end());
    step.kind = NextStep::Kind::kSay;
  }
  if ((pending == 1 || answered == pending) && step.spec.selected_node != node) {
    step.spec.selected_node = node;
    step.kind = NextStep::Kind::kSay;
  }
  return step;
}

}  // namespace dray::scheduler::inline classic
