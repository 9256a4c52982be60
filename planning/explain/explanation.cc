// SPDX-License-Identifier: Apache-2.0
// Judges nodes from cheap to expensive: counts of single devices first. Where these suffice, the
// smaller questions of FindFirstFailure, each of which is one attempt for all nodes.
#include "planning/explain/explanation.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "dray/allocator.h"
#include "planning/explain/first_failure.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

/// The most steps of searches that only serve explanations.
constexpr int64_t kExplainingStepsMax = 200'000;

/// The words for devices that pass a step, after "none", "1" and "2".
struct LeftWords {
  std::string_view one, many;
};
constexpr std::array<LeftWords, kSteps> kLeft = {{
    {"is there", "are there"},
    {"is of the class", "are of the class"},
    {"is selected", "are selected"},
    {"is in a pool that can be used", "are in pools that can be used"},
    {"can be had with these feature gates", "can be had with these feature gates"},
    {"is for the node", "are for the node"},
    {"is large enough", "are large enough"},
    {"is without a taint", "are without taints"},
    {"is free", "are free"},
    {"has enough counters left", "have enough counters left"},
    {"has enough capacity left", "have enough capacity left"},
    {"is usable", "are usable"},
}};

/// The trouble of a node on which single devices are enough.
Trouble TroubleOf(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kTooFewDevices: return Trouble::kAtOnce;
    case Obstacle::kConstraints: return Trouble::kConstraints;
    case Obstacle::kTogether: return Trouble::kTogether;
    case Obstacle::kUndecided: return Trouble::kUndecided;
  }
  DRAY_CHECK(false);
}

std::string Shortened(std::string text) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= kEventBytesMax) return text;
  size_t end = kEventBytesMax - kMore.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return text.substr(0, end).append(kMore);
}

/// Why devices are rejected at the step where they become too few, if every reader of the pod may
/// see it; empty: the step explains enough.
std::string WhyTooFew(const Explanation& explanation, const NodeGroup& group) {
  const bool says_enough = group.step == Step::kElsewhere || group.step == Step::kClass ||
                           group.step == Step::kInUse;  // its text names namespaces
  if (group.trouble != Trouble::kTooFew || says_enough) return {};
  const auto of_group = [&](const Funnel& funnel) {
    return funnel.claim == group.claim && funnel.request == group.request;
  };
  const auto funnel = std::ranges::find_if(explanation.funnels, of_group);
  if (funnel == explanation.funnels.end()) return {};
  const auto is_there = [&](const Removal& removal) { return removal.step == group.step; };
  const auto removal = std::ranges::find_if(funnel->removals, is_there);
  if (removal == funnel->removals.end() || removal->text.empty()) return {};
  const bool is_only_one = std::ranges::count_if(funnel->removals, is_there) == 1;
  return fmt::format(" ({}{})", is_only_one ? "" : "for example ", removal->text);
}

/// The disabled gates that keep devices out.
std::set<std::string> GatesIn(const Funnel& funnel) {
  constexpr std::string_view kOff = " is off";
  std::set<std::string> gates;
  for (const Removal& removal : funnel.removals) {
    std::string_view text = removal.text;
    if (removal.step != Step::kSwitchedOff || !text.ends_with(kOff)) continue;
    text.remove_suffix(kOff.size());
    gates.emplace(text.substr(text.rfind(' ') + 1));
  }
  return gates;
}

/// Why the claims do not fit on one node.
struct NodeVerdict {
  size_t node = 0;  // in the question
  Trouble trouble = Trouble::kNone;
  size_t way = 0;  // of the request that fails; kNowhere: none in particular
  Step step = Step::kUsable;
  NodeFunnel funnel = {};  // of the way
  std::string claim = {}, request = {};
};

class Explainer {
 public:
  explicit Explainer(const ExplanationQuestion& question)
      : question_(question), budget_(question.budget), freed_(question.snapshot, question.holders) {
    budget_.steps_max = std::min(budget_.steps_max, kExplainingStepsMax);
  }

  Explanation Run() && {
    explanation_.nodes = question_.nodes.size();
    auto counter = FunnelCounter::Of(question_.snapshot, question_.claims, question_.holders);
    if (!counter) {
      explanation_.refusal = counter.error().message;
      return std::move(explanation_);
    }
    counter_ = *std::move(counter);
    JudgeNodes();
    explanation_.funnels = counter_->Finish();
    NameWays();
    if (!explanation_.refusal.empty()) return std::move(explanation_);
    Group();
    if (!explanation_.fits()) LookCloser();
    return std::move(explanation_);
  }

 private:
  void JudgeNodes() {
    const allocator::Attempt attempt(question_.snapshot, question_.claims);
    for (size_t i = 0; i < question_.nodes.size(); ++i) {
      const CandidateNode& candidate = question_.nodes[i];
      if (!candidate.objection.empty()) {
        verdicts_.push_back({.node = i, .trouble = Trouble::kObjection});
        continue;
      }
      auto ways = counter_->Add(*candidate.node);
      if (!explanation_.refusal.empty()) continue;  // only the counts are needed
      const Result<allocator::Outcome> outcome =
          attempt.Allocate(*candidate.node, question_.budget);
      if (!outcome || !ways) {
        explanation_.refusal = outcome ? ways.error().message : outcome.error().message;
        continue;
      }
      verdicts_.push_back(Judge(i, *outcome, *ways));
    }
  }

  NodeVerdict Judge(size_t node,
                    const allocator::Outcome& outcome,
                    const std::vector<NodeFunnel>& ways) {
    NodeVerdict verdict{.node = node};
    if (std::holds_alternative<allocator::Allocation>(outcome)) return verdict;
    if (std::holds_alternative<allocator::Undecided>(outcome)) {
      verdict.trouble = Trouble::kUndecided;
      return verdict;
    }
    if (FindShortage(ways, verdict)) return verdict;
    verdict.trouble = Trouble::kTogether;
    const auto failure = FindFirstFailure(question_.claims, [&](const auto& claims) {
      return Ask(claims, *question_.nodes[node].node);
    });
    if (!failure.has_value()) return verdict;
    verdict.trouble = TroubleOf(failure->obstacle);
    verdict.claim = failure->claim;
    verdict.request = failure->request;
    failed_requests_.emplace_back(verdicts_.size(), ways);
    return verdict;
  }

  /// Whether the node has too few devices for some request alone, and for which; of alternatives
  /// the one that comes closest.
  bool FindShortage(const std::vector<NodeFunnel>& ways, NodeVerdict& verdict) const {
    for (size_t first = 0; first < ways.size();) {
      size_t last = first;
      size_t best = first;
      bool is_short = true;
      for (; last < ways.size() && AreAlternatives(first, last); ++last) {
        const Step step = ways[last].bottleneck();
        is_short = is_short && step != Step::kUsable;
        if (std::tuple(step, -ways[last].missing()) >
            std::tuple(ways[best].bottleneck(), -ways[best].missing())) {
          best = last;
        }
      }
      if (is_short) {
        verdict.trouble = Trouble::kTooFew;
        verdict.way = best;
        verdict.step = ways[best].bottleneck();
        verdict.funnel = ways[best];
        return true;
      }
      first = last;
    }
    return false;
  }

  bool AreAlternatives(size_t a, size_t b) const {
    const auto& first = counter_->judge(a);
    const auto& second = counter_->judge(b);
    return first.variant().name.base == second.variant().name.base &&
           first.variant().criteria.claim_key == second.variant().criteria.claim_key;
  }

  /// Asks one of the smaller questions about a node; they are the same for every node.
  Result<allocator::Outcome> Ask(std::span<const Frozen<v1::ResourceClaim>> claims,
                                 const api::core_v1::Node& node) {
    std::string key;
    for (const auto& claim : claims) {
      const auto& devices = claim->spec.devices;
      const std::string_view first =
          devices.requests.empty() ? "" : std::string_view(devices.requests.front().name);
      key += fmt::format("{}/{} {} {} {};",
                         claim->metadata.namespace_,
                         claim->metadata.name,
                         first,
                         devices.requests.size(),
                         devices.constraints.size());
    }
    std::unique_ptr<allocator::Attempt>& attempt = attempts_[key];
    if (attempt == nullptr)
      attempt = std::make_unique<allocator::Attempt>(question_.snapshot, claims);
    return attempt->Allocate(node, budget_);
  }

  void NameWays() {
    for (NodeVerdict& verdict : verdicts_) {
      if (verdict.trouble != Trouble::kTooFew) continue;
      verdict.claim = explanation_.funnels[verdict.way].claim;
      verdict.request = explanation_.funnels[verdict.way].request;
    }
    for (const auto& [place, ways] : failed_requests_) {
      NodeVerdict& verdict = verdicts_[place];
      for (size_t way = 0; way < ways.size(); ++way) {
        const Funnel& funnel = explanation_.funnels[way];
        const std::string_view base = counter_->judge(way).variant().name.base;
        if (funnel.claim != verdict.claim || base != verdict.request) continue;
        verdict.way = way;
        verdict.funnel = ways[way];
        break;
      }
    }
    std::ranges::sort(verdicts_, [&](const NodeVerdict& a, const NodeVerdict& b) {
      const auto rank = [&](const NodeVerdict& verdict) {
        return std::tuple(verdict.trouble,
                          -static_cast<int>(verdict.step),
                          verdict.funnel.missing(),
                          verdict.node);
      };
      return rank(a) < rank(b);
    });
  }

  void Group() {
    std::map<std::tuple<Trouble, std::string, std::string, Step, std::string>, size_t> places;
    for (const NodeVerdict& verdict : verdicts_) {
      const CandidateNode& candidate = question_.nodes[verdict.node];
      const auto [found, is_new] = places.try_emplace(
          {verdict.trouble, verdict.claim, verdict.request, verdict.step, candidate.objection},
          explanation_.groups.size());
      if (is_new) {
        explanation_.groups.push_back({.trouble = verdict.trouble,
                                       .claim = verdict.claim,
                                       .request = verdict.request,
                                       .step = verdict.step,
                                       .objection = candidate.objection,
                                       .wanted = verdict.funnel.wanted,
                                       .usable = verdict.funnel.usable(),
                                       .left = LeftAfter(verdict.funnel.counts, verdict.step)});
      }
      explanation_.groups[found->second].nodes.push_back(candidate.node->metadata.name);
    }
  }

  /// Examines the most promising nodes only.
  void LookCloser() {
    std::vector<const api::core_v1::Node*> nodes;
    nodes.reserve(verdicts_.size());
    for (const NodeVerdict& verdict : verdicts_) {
      if (verdict.trouble != Trouble::kObjection)
        nodes.push_back(question_.nodes[verdict.node].node);
    }
    if (nodes.empty()) return;
    const NodeVerdict& best = verdicts_.front();
    explanation_.closest = nodes.front()->metadata.name;
    auto devices = counter_->DevicesOn(*nodes.front(), best.way);
    if (!devices) return;
    const std::vector<size_t> holders =
        HoldersOn(*devices, question_.holders, question_.own_claims);
    NameHolders(*devices, holders, best);
    const bool is_full = question_.detail == Detail::kFull;
    if (is_full) {
      explanation_.conflict = FindConflict({.claims = question_.claims,
                                            .node = *nodes.front(),
                                            .holders = holders,
                                            .budget = budget_},
                                           question_.snapshot,
                                           question_.holders,
                                           freed_);
    }
    explanation_.suggestions = Suggest({.snapshot = question_.snapshot,
                                        .claims = question_.claims,
                                        .nodes = nodes,
                                        .way = best.way,
                                        .funnels = explanation_.funnels,
                                        .own_claims = question_.own_claims,
                                        .budget = budget_,
                                        .one_kind = !is_full},
                                       *counter_,
                                       question_.holders,
                                       freed_);
    if (is_full) explanation_.fits_when_empty = FitsWhenEmpty(nodes);
  }

  /// Names the claims whose devices are in the way: if one request has too few, those in the pools
  /// that have devices for it.
  void NameHolders(const std::vector<FallenDevice>& devices,
                   const std::vector<size_t>& holders,
                   const NodeVerdict& verdict) {
    std::set<std::pair<std::string_view, std::string_view>> pools;
    for (const FallenDevice& device : devices) {
      if (device.fall.step > Step::kSelectors)
        pools.emplace(device.device.driver, device.device.pool);
    }
    for (const size_t place : holders) {
      InTheWay one{.holder = question_.holders.At(place), .devices = {}};
      for (const FallenDevice& device : devices) {
        const std::pair<std::string_view, std::string_view> pool(device.device.driver,
                                                                 device.device.pool);
        if (verdict.trouble == Trouble::kTooFew && !pools.contains(pool)) continue;
        const std::vector<size_t> of = question_.holders.Of(device.device.view());
        if (std::ranges::find(of, place) != of.end())
          one.devices.push_back(device.device.ToString());
      }
      if (!one.devices.empty()) explanation_.in_the_way.push_back(std::move(one));
    }
  }

  bool FitsWhenEmpty(std::span<const api::core_v1::Node* const> nodes) const {
    std::vector<allocator::DeviceUseChange> changes;
    const allocator::AllocatedState taken = question_.snapshot.State();
    changes.reserve(taken.devices.size() + taken.shares.size() + taken.capacity.size());
    for (const allocator::DeviceId& device : taken.devices) changes.push_back({.device = device});
    for (const auto& share : taken.shares) changes.push_back({.device = share.device});
    for (const auto& [device, capacity] : taken.capacity) changes.push_back({.device = device});
    const allocator::Snapshot empty = question_.snapshot.With(changes);
    const allocator::Attempt attempt(empty, question_.claims);
    return std::ranges::any_of(nodes, [&](const api::core_v1::Node* node) {
      return FitOn(attempt, *node, budget_) == Fit::kYes;
    });
  }

  const ExplanationQuestion& question_;
  allocator::Budget budget_;
  FreedClaims freed_;
  std::unique_ptr<FunnelCounter> counter_;
  std::vector<NodeVerdict> verdicts_;
  std::vector<std::pair<size_t, std::vector<NodeFunnel>>> failed_requests_;  // by verdict
  std::map<std::string, std::unique_ptr<allocator::Attempt>> attempts_;
  Explanation explanation_;
};

}  // namespace

std::string_view HolderStateName(HolderState state) {
  switch (state) {
    case HolderState::kUnknown: return "unknown";
    case HolderState::kInUse: return "inUse";
    case HolderState::kUnused: return "unused";
    case HolderState::kFinished: return "finished";
    case HolderState::kTerminating: return "terminating";
    case HolderState::kPreemptible: return "preemptible";
  }
  return {};
}

std::string_view TroubleName(Trouble trouble) {
  constexpr std::array<std::string_view, 7> kNames = {
      "none", "undecided", "together", "constraints", "atOnce", "tooFew", "objection"};
  return kNames[static_cast<size_t>(trouble)];
}

Explanation Explain(const ExplanationQuestion& question) {
  return Explainer(question).Run();
}

std::string ToString(const NodeGroup& group) {
  const std::string request = fmt::format("request {}", group.request);
  switch (group.trouble) {
    case Trouble::kNone: return "the devices are there";
    case Trouble::kUndecided: return "the search was given up";
    case Trouble::kTogether:
      return request + " would fit alone, but not beside what is asked for before it";
    case Trouble::kConstraints:
      return fmt::format(
          "{}: enough devices, but no {} of them meet the constraints", request, group.wanted);
    case Trouble::kAtOnce:
      return fmt::format("{}: enough devices one by one, but no {} at once", request, group.wanted);
    case Trouble::kObjection: return group.objection;
    case Trouble::kTooFew: break;
  }
  const std::string_view most = group.nodes.size() > 1 && group.left > 0 ? "at most " : "";
  const LeftWords& words = kLeft[static_cast<size_t>(group.step)];
  return fmt::format("{} wants {}; {}{} {}",
                     request,
                     group.wanted,
                     most,
                     group.left == 0 ? "none" : fmt::format("{}", group.left),
                     group.left < 2 ? words.one : words.many);
}

std::string ToString(const NodeGroup& group, const Explanation& explanation) {
  const std::string why =
      group.detail.empty() ? WhyTooFew(explanation, group) : fmt::format(" ({})", group.detail);
  return ToString(group) + why;
}

std::vector<std::string> HintsFor(const Explanation& explanation) {
  std::vector<std::string> hints;
  if (explanation.fits() || explanation.groups.empty()) return hints;
  const NodeGroup& best = explanation.groups.front();
  if (best.trouble != Trouble::kTooFew) return hints;
  if (best.step == Step::kPool) {
    hints.push_back(
        fmt::format("The driver has to complete the pool: look at its pod on node {} and its log.",
                    explanation.closest));
  }
  const auto funnel = std::ranges::find_if(explanation.funnels, [&](const Funnel& one) {
    return one.claim == best.claim && one.request == best.request;
  });
  if (best.step == Step::kSwitchedOff && funnel != explanation.funnels.end()) {
    for (const std::string& gate : GatesIn(*funnel)) {
      hints.push_back(fmt::format(
          "The feature gate {} would have to be on in API server, scheduler and kubelet.", gate));
    }
  }
  const bool may_be_elsewhere = best.step == Step::kCounters || best.step == Step::kCapacity ||
                                (best.step == Step::kInUse && funnel != explanation.funnels.end() &&
                                 std::cmp_greater_equal(funnel->counts.back(), best.wanted));
  if (may_be_elsewhere && explanation.fits_when_empty && explanation.nodes > 1) {
    hints.emplace_back(
        "Moving other pods may make room: `dray whatif --defragment` looks for the fewest.");
  }
  return hints;
}

std::string OneLine(const Explanation& explanation) {
  if (!explanation.refusal.empty()) {
    const std::string line = explanation.refusal.substr(0, explanation.refusal.find('\n'));
    return Shortened(line);
  }
  if (explanation.fits()) return "fits on " + explanation.groups.front().nodes.front();
  std::vector<std::string> parts;
  parts.reserve(explanation.groups.size() + 1);
  for (const NodeGroup& group : explanation.groups) {
    parts.push_back(fmt::format("{} {}: {}",
                                group.nodes.size(),
                                group.nodes.size() == 1 ? "node" : "nodes",
                                ToString(group, explanation)));
  }
  if (!explanation.suggestions.empty())
    parts.push_back("it would help to " + explanation.suggestions.front().text);
  return Shortened(fmt::format("{}", fmt::join(parts, "; ")));
}

}  // namespace dray::planning::inline explain
