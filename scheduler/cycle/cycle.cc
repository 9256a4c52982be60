// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/cycle.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/node_operations.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/selectors/node_selector_match.h"
#include "base/try.h"
#include "client/informer.h"
#include "scheduler/cycle/claim_set.h"
#include "scheduler/cycle/default_preemption.h"
#include "scheduler/cycle/node_verdicts.h"
#include "scheduler/cycle/nodes_to_compare.h"
#include "scheduler/plugins/dynamic_resources.h"
#include "scheduler/plugins/node_resources_fit.h"
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/pod_affinity.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/table.h"
#include "scheduler/plugins/topology_spread.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr const char* kAllocatedElsewhere = "resourceclaim not available on the node";
constexpr const char* kTooMuch = "the attempt takes too much";

constexpr uint64_t kWorkPerVerdict = 1;  // for a node whose verdict was kept, in units of Work

/// Any change of its claims may let the pod fit, because they may be deleted and recreated.
void WaitForClaims(std::span<const api::Object> claims, Unschedulable& result) {
  for (const api::Object& claim : claims)
    result.waits_for.claims.push_back(api::ObjectKey(claim.metadata()));
}

Obstacle NoDevices(std::string why) {
  return {.rejection = {.reasons = {std::move(why)}}};
}

class NodeSearch {
 public:
  NodeSearch(const core_v1::Pod& pod,
             std::span<const api::Object> claims,
             const ClaimSet& set,
             const ClusterView& view)
      : needs_(NeedsOf(pod)),
        claims_(claims),
        set_(set),
        view_(view),
        rules_{
            .affinity = PodAffinity(pod, view.neighbours),
            .spread = TopologySpread(needs_,
                                     view.neighbourhood.empty() ? view.nodes : view.neighbourhood,
                                     view.neighbours,
                                     view.spread_defaults)},
        scores_(SeenWith(rules_)) {
    needs_.too_much_is_unresolvable = view.too_much_is_unresolvable;
    for (const auto& [resource, amount] : needs_.requests) {
      if (amount == 0 || !resource.contains('/')) continue;
      // A change of classes may change which one serves the resource.
      waits_for_classes_ = true;
      if (view.class_of && view.class_of(resource) != nullptr) needs_.of_classes.insert(resource);
    }
    if (view.verdicts != nullptr) kept_ = &view.verdicts->For(needs_);
  }

  void Run(const CycleOptions& options) {
    if (IsOutOfWork()) return;
    if (view_.only_node.has_value()) {
      LookForRoom(*view_.only_node);
      return Choose();
    }
    const bool needs_all = view_.other_claims != nullptr;
    if (IsNominatedForFirst() && !needs_all) {
      LookForRoom(view_.first_node % view_.nodes.size());
      if (!fitting_.empty() || failure_) return Choose();
      result_ = {};  // the node is tried again among the others
      resolvable_.clear();
      unavailable_.clear();
    }
    const bool compares = set_.prioritized || scores_.matter() || needs_all ||
                          view_.nodes.size() <= options.filter_all_nodes_max;
    const size_t enough = needs_all ? view_.nodes.size() : NodesToCompare(view_.nodes.size());
    for (size_t at = 0; at < view_.nodes.size() && fitting_.empty() && !failure_;) {
      LookAt(NextToCompare(at, enough), compares);
    }
    Choose();
  }

  /// Per node, why it is rejected whatever devices it has; empty: it may fit.
  std::vector<std::string> Objections() {
    std::vector<std::string> objections;
    objections.reserve(view_.nodes.size());
    for (const NodeState* state : view_.nodes) {
      if (const NodeVerdict verdict = FilterWithoutDevices(*state, rules_); verdict.obstacle) {
        objections.push_back(
            fmt::format("{}", fmt::join(verdict.obstacle->rejection.reasons, ", ")));
        continue;
      }
      std::string why_not = ObjectionOfClaims(state->value());
      if (why_not.empty() && !AreAllocatedOn(state->value())) why_not = kAllocatedElsewhere;
      objections.push_back(std::move(why_not));
    }
    return objections;
  }

  Decision Finish(std::span<const api::Object> claims) && {
    if (IsOutOfWork()) return *std::move(failure_);
    if (failure_) return *std::move(failure_);
    if (best_) {
      std::vector<std::string> names = FittingNames();
      Placement placement = Place(std::move(fitting_[*best_]), claims.size());
      placement.fitting = std::move(names);
      return placement;
    }
    result_.nodes = view_.nodes.size();
    LookForVictims(*needs_.pod,
                   view_,
                   resolvable_,
                   {.begin = [this] { return BeginTrial(); },
                    .is_out_of_work = [this] { return IsOutOfWork(); }},
                   result_);
    if (IsOutOfWork()) return *std::move(failure_);
    result_.unavailable_claims.assign(unavailable_.begin(), unavailable_.end());
    result_.waits_for.events.insert(ClusterEvent::kNodes);
    if (waits_for_classes_) result_.waits_for.events.insert(ClusterEvent::kClasses);
    if (result_.waits_for.events.contains(ClusterEvent::kDevices)) {
      result_.waits_for.events.insert(ClusterEvent::kClasses);
    }
    WaitForClaims(claims, result_);
    if (result_.left_over_in_the_way) {
      result_.waits_for.claims.push_back(api::ObjectKey(view_.left_over->metadata()));
    }
    return std::move(result_);
  }

 private:
  /// The claims to search for on nodes that serve the same extended resources by devices.
  struct Demand {
    std::vector<Frozen<resource_v1::ResourceClaim>> claims;  // last: for `extended`
    ExtendedRequests extended;
    DevicesOnNode devices_on;  // set when the first node is searched
  };

  /// The devices found on a node for the pod.
  struct Found {
    const Demand* demand = nullptr;
    std::vector<resource_v1::AllocationResult> results;
    NodeAllocatableStatuses taken;
  };

  /// The rules about other pods, evaluated for the pods that are there now.
  struct PodRules {
    PodAffinity affinity;
    TopologySpread spread;

    void Move(const PodOnNode& pod, Trial::Change change) {
      if (pod.pod == nullptr || pod.node == nullptr) return;
      const Neighbour neighbour{.pod = pod.pod, .node = pod.node, .rules = pod.rules};
      affinity.Move(neighbour, static_cast<int64_t>(change));
      spread.Move(neighbour, static_cast<int64_t>(change));
    }
  };

  /// A node that may fit.
  struct Candidate {
    size_t index;
    size_t turn;
    int64_t score;  // without comparison to other nodes
  };

  /// A node that fits.
  struct Fitting {
    size_t index;
    int64_t own_score;
    int64_t device_score;
    Found found;
  };

  /// In name order; empty unless the caller requested them.
  std::vector<std::string> FittingNames() const {
    std::vector<std::string> names;
    if (view_.other_claims == nullptr) return names;
    for (const Fitting& one : fitting_)
      names.push_back(view_.nodes[one.index]->value().metadata.name);
    std::ranges::sort(names);
    return names;
  }

  PodInAttempt SeenWith(const PodRules& rules) const {
    return {.needs = &needs_,
            .volumes = view_.volumes,
            .affinity = &rules.affinity,
            .spread = &rules.spread,
            .soft_taints = view_.soft_taints};
  }

  bool IsNominatedForFirst() const {
    const std::string& nominated = needs_.pod->status.nominated_node_name;
    const size_t first = view_.first_node % view_.nodes.size();
    return !nominated.empty() && view_.nodes[first]->value().metadata.name == nominated;
  }

  /// The next nodes from index `at` on that pass the filters without devices; at most `enough`.
  /// Advances `at`.
  std::vector<Candidate> NextToCompare(size_t& at, size_t enough) {
    std::vector<Candidate> candidates;
    for (; at < view_.nodes.size() && candidates.size() < enough; ++at) {
      if (IsOutOfWork()) break;
      const size_t index = (view_.first_node + at) % view_.nodes.size();
      const NodeState& state = *view_.nodes[index];
      const NodeVerdict verdict = FilterWithoutDevices(state, rules_);
      if (verdict.obstacle != nullptr) {
        Reject(index, *verdict.obstacle);
      } else {
        candidates.push_back({.index = index, .turn = at, .score = verdict.score});
      }
    }
    return candidates;
  }

  /// Searches devices on the candidates: on all, or from the best on until one has them.
  void LookAt(std::vector<Candidate> candidates, bool all) {
    if (all) {
      for (const Candidate& candidate : candidates) {
        LookForDevices(candidate);
        if (failure_) return;
      }
      return;
    }
    const auto place = [](const Candidate& one) { return std::pair(-one.score, one.turn); };
    std::ranges::make_heap(candidates, std::greater(), place);
    while (!candidates.empty() && !failure_ && fitting_.empty()) {
      std::ranges::pop_heap(candidates, std::greater(), place);
      LookForDevices(candidates.back());
      candidates.pop_back();
    }
  }

  void LookForRoom(size_t index) {
    const NodeState& state = *view_.nodes[index];
    const NodeVerdict verdict = FilterWithoutDevices(state, rules_);
    if (verdict.obstacle != nullptr) return Reject(index, *verdict.obstacle);
    LookForDevices({.index = index, .turn = 0, .score = verdict.score});
  }

  void LookForDevices(const Candidate& candidate) {
    const size_t index = candidate.index;
    Found found;
    const Result<std::optional<Obstacle>> obstacle = FitWithDevices(*view_.nodes[index], found);
    if (!obstacle) {
      failure_ =
          AttemptFailed{.message = fmt::format("running \"DynamicResources\" filter plugin: {}",
                                               obstacle.error().message),
                        .took_too_much = obstacle.error().reason == StatusReason::kTimeout};
    } else if (obstacle->has_value()) {
      Reject(index, **obstacle);
    } else {
      const int64_t score = set_.prioritized ? Score(set_, found.results) : 0;
      fitting_.push_back({.index = index,
                          .own_score = candidate.score,
                          .device_score = score,
                          .found = std::move(found)});
    }
  }

  /// Chooses the best of the fitting nodes; of equal ones the first.
  void Choose() {
    if (fitting_.empty() || failure_) return;
    best_ = 0;
    if (fitting_.size() == 1) return;
    std::vector<const NodeState*> nodes;
    std::vector<int64_t> device_scores;
    for (const Fitting& one : fitting_) {
      nodes.push_back(view_.nodes[one.index]);
      device_scores.push_back(one.device_score);
    }
    std::vector<int64_t> sums = scores_.Of(nodes);
    for (size_t i = 0; i < nodes.size(); ++i) sums[i] += fitting_[i].own_score;
    AddDeviceScores(device_scores, sums);
    best_ = static_cast<size_t>(std::ranges::max_element(sums) - sums.begin());
  }

  /// Why the pod cannot use a claim with devices that are node resources; empty: there is no such
  /// claim.
  std::string WhyNotShared() const {
    if (!view_.node_allocatable) return {};
    for (const ClaimSet::Allocated& allocated : set_.allocated) {
      const auto& claim = claims_[allocated.index].As<resource_v1::ResourceClaim>();
      if (claim.status.reserved_for.empty() || api::claims::IsKeptFor(claim, *needs_.pod) ||
          !HasMappedDevice(*claim.status.allocation, view_.node_allocatable)) {
        continue;
      }
      return fmt::format(
          "node allocatable resource claim {} has a mapped device and cannot be shared across pods",
          claim.metadata.name);
    }
    return {};
  }

  /// The node resources that the devices of all claims of the pod take.
  Result<NodeAllocatableStatuses> TakenOnNode(
      const Demand& demand, const std::vector<resource_v1::AllocationResult>& results) const {
    if (!view_.node_allocatable) return NodeAllocatableStatuses{};
    std::vector<ClaimAllocation> claims;
    const auto add = [&](const resource_v1::ResourceClaim& claim,
                         const resource_v1::AllocationResult& allocation) {
      const std::string& name = claim.metadata.name;
      claims.push_back({.namespace_ = claim.metadata.namespace_,
                        .name = name.empty() ? std::string(kExtendedClaimName) : name,
                        .allocation = &allocation});
    };
    for (const ClaimSet::Allocated& allocated : set_.allocated) {
      const auto& claim = claims_[allocated.index].As<resource_v1::ResourceClaim>();
      add(claim, *claim.status.allocation);
    }
    for (size_t i = 0; i < results.size(); ++i) add(*demand.claims[i], results[i]);
    return TakenByClaims(*needs_.pod, claims, view_.node_allocatable);
  }

  Demand& DemandOn(const NodeState& state) {
    std::set<std::string, std::less<>> resources = ServedByDevices(needs_, state);
    const auto [entry, is_new] = demands_.try_emplace(std::move(resources));
    Demand& demand = entry->second;
    if (!is_new) return demand;
    demand.claims = set_.wanted;
    if (entry->first.empty()) return demand;
    demand.extended = RequestsForResources(*needs_.pod, entry->first, view_.class_of);
    if (demand.extended.requests.empty()) return demand;
    demand.claims.push_back(std::make_shared<const resource_v1::ResourceClaim>(
        MakeExtendedClaim(*needs_.pod, demand.extended.requests)));
    return demand;
  }

  /// Whether the attempt has spent its budget. It has then failed, and its findings must not be
  /// used.
  bool IsOutOfWork() {
    if (view_.neighbours.work == nullptr || !view_.neighbours.work->is_spent()) return false;
    if (!failure_) failure_ = AttemptFailed{.message = kTooMuch, .took_too_much = true};
    return true;
  }

  /// Whether the node is rejected before devices are considered, and its score otherwise.
  NodeVerdict FilterWithoutDevices(const NodeState& state, const PodRules& rules) {
    const NodeVerdict* const known = kept_ == nullptr ? nullptr : kept_->Find(state);
    view_.neighbours.MayGoOn(known == nullptr ? needs_.work_per_node : kWorkPerVerdict);
    NodeVerdict verdict = known == nullptr ? JudgeNode(needs_, state) : *known;
    if (known == nullptr && kept_ != nullptr) kept_->Keep(state, verdict);
    if (verdict.obstacle != nullptr) return verdict;
    const PodInAttempt pod = SeenWith(rules);
    if (std::optional<Obstacle> obstacle = FilterFurther(pod, state)) {
      return {.obstacle = std::make_shared<const Obstacle>(*std::move(obstacle))};
    }
    verdict.score += FurtherScore(pod, state);
    return verdict;
  }

  /// Why the node is rejected; nothing: it fits with the devices in `found`. Errors: those of the
  /// search.
  Result<std::optional<Obstacle>> FitOn(const NodeState& state,
                                        const PodRules& rules,
                                        Found& found) {
    const NodeVerdict verdict = FilterWithoutDevices(state, rules);
    if (verdict.obstacle != nullptr) return *verdict.obstacle;
    return FitWithDevices(state, found);
  }

  /// Why the pod's claims reject the node before devices are searched; empty: they do not.
  std::string ObjectionOfClaims(const core_v1::Node& node) {
    if (view_.left_over != nullptr && !needs_.of_classes.empty()) {
      result_.left_over_in_the_way = true;
      return "cannot schedule extended resource claim";
    }
    if (std::string why_not = WhyNotShared(); !why_not.empty()) return why_not;
    return view_.other_claims == nullptr ? std::string() : view_.other_claims->objection(node);
  }

  /// The same for a node that passes the filters without devices.
  Result<std::optional<Obstacle>> FitWithDevices(const NodeState& state, Found& found) {
    std::string why_not = ObjectionOfClaims(state.value());
    if (!why_not.empty()) return NoDevices(std::move(why_not));
    const bool is_available = AreAllocatedOn(state.value());
    DRAY_TRY(std::optional<Obstacle> obstacle, FindDevices(state, found));
    if (obstacle) return obstacle;
    if (!is_available) return NoDevices(kAllocatedElsewhere);
    DRAY_TRY(found.taken, TakenOnNode(*found.demand, found.results));
    if (std::optional<Rejection> rejection = FilterTaken(*needs_.pod, found.taken, state)) {
      return Obstacle{.rejection = *std::move(rejection)};
    }
    return std::optional<Obstacle>();
  }

  /// Whether all allocated claims can be used on the node; records those that cannot.
  bool AreAllocatedOn(const core_v1::Node& node) {
    bool are_available = true;
    for (const ClaimSet::Allocated& claim : set_.allocated) {
      const bool is_here =
          !claim.nodes || claim.nodes->Matches(node.metadata.labels, node.metadata.name);
      const bool can_skip = !claim.skips_operations || api::claims::MaySkipOperations(node);
      if (is_here && can_skip && !claim.is_useless) continue;
      unavailable_.insert(claim.index);
      are_available = false;
    }
    return are_available;
  }

  Result<std::optional<Obstacle>> FindDevices(const NodeState& state, Found& found) {
    Demand& demand = DemandOn(state);
    found.demand = &demand;
    if (demand.claims.empty()) return std::optional<Obstacle>();
    if (!demand.devices_on) demand.devices_on = view_.search(demand.claims);
    DRAY_TRY(const allocator::Outcome outcome, demand.devices_on(state.value()));
    if (std::holds_alternative<allocator::Undecided>(outcome)) {
      return Fail(StatusReason::kTimeout,
                  fmt::format("node {}: timed out trying to allocate devices",
                              state.value().metadata.name));
    }
    if (const auto* no = std::get_if<allocator::Unsatisfiable>(&outcome)) {
      return NoDevices(no->node_error.empty() ? "cannot allocate all claims" : no->node_error);
    }
    found.results = std::get<allocator::Allocation>(outcome).results;
    return std::optional<Obstacle>();
  }

  void Reject(size_t index, const Obstacle& obstacle) {
    const Rejection& rejection = obstacle.rejection;
    std::ranges::copy(rejection.reasons, std::back_inserter(result_.node_reasons));
    result_.waits_for.events.insert(obstacle.event);
    if (obstacle.event == ClusterEvent::kVolumes) {
      // The volume claim may become free, or the node may move to another zone.
      result_.waits_for.events.insert(ClusterEvent::kAssignedPods);
    }
    if (obstacle.event == ClusterEvent::kPlacedPods) {
      result_.waits_for.events.insert(ClusterEvent::kAssignedPods);  // a pod that leaves counts too
    }
    if (rejection.unresolvable) {
      ++result_.unresolvable_nodes;
    } else {
      resolvable_.push_back(index);
      result_.waits_for.events.insert(ClusterEvent::kAssignedPods);
    }
  }

  /// Tests whether the pod fits on a node without others, with its own copy of the rules about
  /// pods.
  Trial BeginTrial() {
    const auto rules = std::make_shared<PodRules>(rules_);
    return {
        .fits = [this, rules](const NodeState& left) -> Result<std::optional<Rejection>> {
          if (IsOutOfWork()) return Fail(StatusReason::kTimeout, kTooMuch);
          Found ignored;
          DRAY_TRY(std::optional<Obstacle> obstacle, FitOn(left, *rules, ignored));
          if (!obstacle) return std::optional<Rejection>();
          return std::move(obstacle->rejection);
        },
        .moved = [rules](const PodOnNode& pod, Trial::Change change) { rules->Move(pod, change); }};
  }

  Placement Place(Fitting best, size_t claims) const {
    Placement placement{
        .node = view_.nodes[best.index]->value().metadata.name,
        .allocations = std::vector<api::Maybe<resource_v1::AllocationResult>>(claims),
        .extended = std::nullopt,
        .taken = std::move(best.found.taken),
        .next_first_node = best.index + 1};
    for (size_t i = 0; i < set_.wanted_indexes.size(); ++i) {
      placement.allocations[set_.wanted_indexes[i]] = std::move(best.found.results[i]);
    }
    if (!best.found.demand->extended.requests.empty()) {
      placement.extended = ExtendedPlacement{.claim = *best.found.demand->claims.back(),
                                             .mappings = best.found.demand->extended.mappings,
                                             .allocation = std::move(best.found.results.back())};
    }
    return placement;
  }

  PodNeeds needs_;
  std::span<const api::Object> claims_;
  const ClaimSet& set_;
  const ClusterView& view_;
  const PodRules rules_;
  const ComparedScores scores_;
  VerdictsForNeeds* kept_ = nullptr;
  std::map<std::set<std::string, std::less<>>, Demand> demands_;  // by resources of classes
  bool waits_for_classes_ = false;
  Unschedulable result_;
  std::vector<size_t> resolvable_;  // nodes where evicting pods might help
  std::set<size_t> unavailable_;
  std::vector<Fitting> fitting_;
  std::optional<size_t> best_;  // index into the fitting nodes
  std::optional<AttemptFailed> failure_;
};

}  // namespace

Decision Decide(const core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const ClusterView& view,
                const CycleOptions& options) {
  if (view.nodes.empty()) {
    return Unschedulable{.waits_for = {.events = {ClusterEvent::kNodes}, .claims = {}}};
  }
  ClaimSet set;
  std::optional<EndOfAttempt> obstacle;
  if (view.volumes != nullptr && !view.volumes->why_nowhere.empty()) {
    const WaitsFor waits_for{.events = {ClusterEvent::kVolumes}, .claims = {}};
    Unschedulable nowhere = ForAllNodes(view.volumes->why_nowhere, view, waits_for);
    // Where devices serve extended resources, upstream looks for claims of every pod.
    nowhere.claims_unread = !pod.spec.resource_claims.empty() || view.class_of;
    obstacle = std::move(nowhere);
  } else {
    obstacle = SortClaims(claims, view, options, set);
  }
  if (obstacle) {
    auto* nowhere = std::get_if<Unschedulable>(&*obstacle);
    if (nowhere != nullptr) {
      WaitForClaims(claims, *nowhere);
      if (pod.spec.preemption_policy == "Never") nowhere->not_preempting = kNeverPreempts;
    }
    return std::visit([](auto& known) -> Decision { return std::move(known); }, *obstacle);
  }
  NodeSearch search(pod, claims, set, view);
  search.Run(options);
  return std::move(search).Finish(claims);
}

std::vector<std::string> Objections(const core_v1::Pod& pod,
                                    std::span<const api::Object> claims,
                                    const ClusterView& view,
                                    const CycleOptions& options) {
  if (view.volumes != nullptr && !view.volumes->why_nowhere.empty())
    return std::vector<std::string>(view.nodes.size(), view.volumes->why_nowhere);
  ClaimSet set;
  // An error of the claims is no objection to a node.
  if (SortClaims(claims, view, options, set).has_value()) set = {};
  return NodeSearch(pod, claims, set, view).Objections();
}

}  // namespace dray::scheduler::inline cycle
