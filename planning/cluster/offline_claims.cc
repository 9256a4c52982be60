// SPDX-License-Identifier: Apache-2.0
// OfflineCluster's decisions about claims that no pod uses.
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "dray/allocator.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/waiting.h"

namespace dray::planning::inline cluster {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

constexpr const char* kNoDevices = "cannot allocate all claims";  // upstream's words

/// The findings about one claim up to the end of the search's budget.
std::string GivenUp(const allocator::Undecided& undecided, const v1::ResourceClaim& claim) {
  std::string text = fmt::format("the search was given up after {} steps", undecided.steps);
  const auto& requests = claim.spec.devices.requests;
  if (undecided.request < requests.size())
    text += fmt::format(", at request {}", requests[undecided.request].name);
  return text;
}

}  // namespace

std::vector<std::string> OfflineCluster::WaitingClaims(const std::set<std::string>& of_pods) const {
  // Most claims have devices; this pass visits each once, without lookups.
  std::set<std::string_view> waiting;
  for (const auto& [key, claim] : cluster_.objects().claims.objects()) {
    if (Waits(claim.As<v1::ResourceClaim>()) && IsMeant(claim) && !of_pods.contains(key))
      waiting.insert(key);
  }
  std::vector<std::string> in_order;
  if (waiting.empty()) return in_order;
  for (const std::string& key : objects_.claim_order) {
    if (waiting.contains(key)) in_order.push_back(key);
  }
  return in_order;
}

NodeAnswer OfflineCluster::AnswerOf(const core::Node& node,
                                    const std::string& key,
                                    const allocator::Attempt& attempt) const {
  NodeAnswer answer{.node = node.metadata.name, .verdict = Verdict::kDoesNotFit};
  const Result<allocator::Outcome> outcome = attempt.Allocate(node, options_.budget);
  if (!outcome) {
    answer.verdict = Verdict::kRefused;
    answer.reason = outcome.error().message;
  } else if (const auto* found = std::get_if<allocator::Allocation>(&*outcome)) {
    answer.verdict = Verdict::kFits;
    answer.claims.push_back(Allocated(key, {}, found->results[0]));
  } else if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    answer.reason = none->node_error.empty() ? kNoDevices : none->node_error;
  } else {
    answer.verdict = Verdict::kUndecided;
    answer.reason = GivenUp(std::get<allocator::Undecided>(*outcome), *attempt.claims()[0]);
  }
  return answer;
}

std::string OfflineCluster::PlaceOf(const std::string& claim) const {
  const auto given = objects_.claims.find(claim);
  return given == objects_.claims.end() ? std::string() : given->second.place;
}

OfflineAnswer OfflineCluster::AllocateClaim(const std::string& key) {
  OfflineAnswer answer{.what = "claim " + key,
                       .place = PlaceOf(key),
                       .verdict = Verdict::kDoesNotFit,
                       .reason = "no node has the devices it asks for"};
  const Claims claim{*FindClaim(key)};
  const Frozen<v1::ResourceClaim> frozen = api::FrozenOf<v1::ResourceClaim>(claim[0]);
  const allocator::Attempt attempt(cluster_.Devices(), {&frozen, 1});
  const bool each = options_.answers == NodeAnswers::kEach;
  for (const scheduler::NodeState* state : LookedAt()) {
    NodeAnswer here = AnswerOf(state->value(), key, attempt);
    if (here.verdict == Verdict::kRefused) {  // for every node: upstream tries no other one
      answer.verdict = here.verdict;
      answer.reason = here.reason;
      answer.fix = FixOf(claim);
      return answer;
    }
    if (here.verdict == Verdict::kFits && answer.verdict != Verdict::kFits) {
      answer.verdict = here.verdict;
      answer.reason.clear();
      answer.node = here.node;
      answer.claims = here.claims;
    } else if (answer.verdict == Verdict::kDoesNotFit && here.reason != kNoDevices) {
      answer.verdict = here.verdict;
      answer.reason = here.reason;
    }
    answer.nodes.push_back(std::move(here));
    if (answer.verdict == Verdict::kFits && !each) break;
  }
  const bool fits = answer.verdict == Verdict::kFits;
  FailureGroups failures;
  for (NodeAnswer& here : answer.nodes) {
    if (here.verdict != Verdict::kDoesNotFit || (fits && !each)) continue;
    const auto& node = cluster_.objects().nodes.Find(here.node)->As<core::Node>();
    here.failure = FailureOn(node, {&frozen, 1});
    if (!fits && here.failure.has_value()) failures.Add(*here.failure, here.node);
  }
  answer.failures = failures.groups();
  if (!fits) answer.fix = FixOf(claim);
  if (fits) cluster_.objects().claims.Put(answer.claims[0]);
  if (!each) answer.nodes.clear();
  return answer;
}

}  // namespace dray::planning::inline cluster
