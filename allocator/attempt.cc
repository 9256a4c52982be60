// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocator/internals.h"
#include "allocator/literal/allocate.h"
#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/result.h"
#include "allocator/rules/share_id.h"
#include "allocator/search/node_problem.h"
#include "allocator/search/node_search.h"
#include "allocator/search/prepared_claims.h"
#include "allocator/search/prospects.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/hash.h"
#include "base/lazy.h"
#include "base/mutex.h"
#include "base/try.h"
#include "base/work.h"
#include "dray/allocator.h"

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;

using Signature = std::vector<uint64_t>;

struct SignatureHash {
  size_t operator()(const Signature& signature) const {
    Hasher hash;
    for (const uint64_t word : signature) hash.Add(word);
    return hash.value();
  }
};

/// Everything the search reads of a node: nodes with equal signatures have isomorphic searches,
/// hence equal answers, up to the names of their devices (N-1).
Signature SignatureOf(const snapshot::ClusterState& cluster,
                      const snapshot::NodeView& view,
                      const api::core_v1::Node& node) {
  Signature signature;
  signature.reserve(view.fingerprint.size() + view.words + view.pools.size() + 1);
  signature = view.fingerprint;
  for (const snapshot::NodeView::Segment& segment : view.segments) {
    const snapshot::PoolUse& use = cluster.UseOfPool(view.pools[segment.pool].id);
    const auto words = std::span(use.whole).subspan(segment.facts->first_word, segment.words());
    signature.insert(signature.end(), words.begin(), words.end());
  }
  for (const snapshot::NodeView::Pool& pool : view.pools) {
    if (pool.facts == nullptr) continue;
    const snapshot::PoolUse& use = cluster.UseOfPool(pool.id);
    signature.push_back(use.shares_number);
    if (!pool.draws_counters) continue;
    for (const int64_t left : use.available) signature.push_back(static_cast<uint64_t>(left));
  }
  for (const std::string& feature : node.status.declared_features) {
    if (feature == "DRAOptionalNodeOperations") signature.push_back(1);
  }
  return signature;
}

}  // namespace

/// The answer for one node, used for every node that is like it.
struct Solved {
  search::NodeAnswer answer;
  int64_t steps_max = 0;                   // that the search could make
  uint64_t work_max = 0;                   // and the work it could do
  std::vector<size_t> alternatives;        // by request: the one that was chosen
  std::vector<ConsumedCapacity> consumed;  // by pick; empty while nothing is shared
  std::vector<RequestShortage> shortages;  // when nothing fits

  bool is_out_of_budget() const { return answer.end == search::SearchEnd::kOutOfBudget; }
  /// Whether a search with such a budget ends in the same way.
  bool IsAnswerFor(int64_t steps, uint64_t work) const {
    return !is_out_of_budget() || (steps <= steps_max && work <= work_max);
  }
};

class Attempt::Impl {
 public:
  Impl(const Snapshot& snapshot, Claims claims, const search::SearchOptions& options)
      : options_(options),
        cluster_(Internals::ClusterOf(snapshot)),
        claims_(claims.begin(), claims.end()) {}

  Claims claims() const { return claims_; }

  Result<Outcome> Allocate(const api::core_v1::Node& node, const Budget& budget) {
    Work work(LeftOf(budget));
    Result<Outcome> outcome = Allocate(node, budget, work);
    spent_.fetch_add(work.spent(), std::memory_order_relaxed);
    if (budget.work != nullptr) budget.work->Charge(work.spent());
    return outcome;
  }

 private:
  const snapshot::ClusterState& cluster() const { return *cluster_; }

  /// What one call may take: of the attempt's own, and of what it shares with others.
  uint64_t LeftOf(const Budget& budget) const {
    const auto steps = static_cast<uint64_t>(std::max<int64_t>(budget.steps_max, 0));
    const uint64_t most = std::max(
        kWorkMin, std::min(steps, Work::kUnlimited / Budget::kWorkPerStep) * Budget::kWorkPerStep);
    const uint64_t left = most - std::min(most, spent_.load(std::memory_order_relaxed));
    return budget.work == nullptr ? left : std::min(left, budget.work->left());
  }

  /// Made when first asked for, at the expense of that caller. Null: that takes more work than is
  /// left. Nothing half done is kept, so a caller with a larger budget begins anew.
  Frozen<search::PreparedClaims> Prepared(Work& work) {
    const uint64_t most = std::min(work.left(), options_.evaluation_work_max);
    const MutexLock lock(prepared_mutex_);
    if (prepared_ != nullptr) return prepared_;
    if (most <= too_little_) return nullptr;
    Work part(most);
    auto made = std::make_shared<const search::PreparedClaims>(cluster_, claims_, part);
    work.Charge(part.spent());
    if (work.is_spent()) {
      too_little_ = most;
      return nullptr;
    }
    prepared_ = std::move(made);
    return prepared_;
  }

  Result<Outcome> Allocate(const api::core_v1::Node& node, const Budget& budget, Work& work) {
    const Frozen<snapshot::NodeView> view = cluster().ViewOf(node);
    const Frozen<search::PreparedClaims> made = Prepared(work);
    if (made == nullptr || work.is_spent()) return Undecided{};
    const search::PreparedClaims& prepared = *made;
    if (prepared.needs_literal() || view->needs_literal) return Literal(node, budget, work);
    Signature signature;
    Frozen<Solved> solved;
    if (options_.node_sharing) {
      signature = SignatureOf(cluster(), *view, node);
      work.Charge(WorkOfItems(signature.size()));
      solved = Known(signature);
      if (solved != nullptr && !solved->IsAnswerFor(budget.steps_max, work.left()))
        solved = nullptr;
    }
    if (solved == nullptr) {
      const uint64_t work_max = work.left();
      search::NodeProblem problem(prepared, *view, node, work);
      if (problem.needs_literal()) return Literal(node, budget, work);
      std::shared_ptr<Solved> found = Solve(problem, budget, work_max);
      if (found->answer.end == search::SearchEnd::kNothing)
        found->shortages = ShortagesOf(prepared, *view, node, work);
      solved = std::move(found);
      if (options_.node_sharing && solved->answer.end != search::SearchEnd::kCancelled)
        Remember(std::move(signature), solved);
    }
    return OutcomeOf(*solved, prepared, *view, node);
  }

  /// Counts only what the search has read: it takes a small part of its work, and none of the
  /// attempt's.
  static std::vector<RequestShortage> ShortagesOf(const search::PreparedClaims& prepared,
                                                  const snapshot::NodeView& view,
                                                  const api::core_v1::Node& node,
                                                  const Work& left) {
    Work work(left.left());
    const search::NodeProspect prospect = search::ProspectOf(prepared, view, node, work);
    std::vector<RequestShortage> shortages;
    if (prospect.is_unknown || work.is_spent()) return shortages;
    size_t first = 0;  // request of the claim
    for (size_t i = 0; i < prospect.requests.size(); ++i) {
      const size_t claim = prepared.requests()[i].claim;
      if (claim != prepared.requests()[first].claim) first = i;
      const search::RequestProspect& one = prospect.requests[i];
      shortages.push_back({.claim = claim,
                           .request = i - first,
                           .missing = one.missing,
                           .matching = one.matching,
                           .usable = one.usable});
    }
    return shortages;
  }

  std::shared_ptr<Solved> Solve(search::NodeProblem& problem,
                                const Budget& budget,
                                uint64_t work_max) const {
    const std::vector<search::PreparedRequest>& requests = problem.prepared().requests();
    auto solved = std::make_shared<Solved>();
    solved->answer = search::SearchNode(problem, options_, budget);
    solved->steps_max = budget.steps_max;
    solved->work_max = work_max;
    if (solved->answer.end != search::SearchEnd::kFound) return solved;
    for (size_t i = 0; i < requests.size(); ++i) {
      solved->alternatives.push_back(solved->answer.variants[i] - requests[i].first_variant);
    }
    if (!problem.any_shareable()) return solved;
    for (const search::Pick& pick : solved->answer.picks) {
      solved->consumed.push_back(problem.IsShareable(pick.bit)
                                     ? problem.AmountsOf(pick.variant, pick.bit)
                                     : ConsumedCapacity());
    }
    return solved;
  }

  Frozen<Solved> Known(const Signature& signature) {
    const MutexLock lock(mutex_);
    const auto found = answers_.find(signature);
    return found == answers_.end() ? nullptr : found->second;
  }

  void Remember(Signature signature, Frozen<Solved> answer) {
    const MutexLock lock(mutex_);
    const auto [known, is_new] = answers_.try_emplace(std::move(signature), answer);
    if (!is_new && known->second->is_out_of_budget()) known->second = std::move(answer);
  }

  Result<Outcome> Literal(const api::core_v1::Node& node, const Budget& budget, Work& work) const {
    const AllocatedState& state = state_.Get([&] { return cluster().State(); });
    return literal::AllocateLiterally({.inventory = cluster().inventory(),
                                       .state = state,
                                       .features = cluster().features(),
                                       .selectors = *cluster().selectors()},
                                      node,
                                      claims_,
                                      budget,
                                      work)
        .outcome;
  }

  Result<Outcome> OutcomeOf(const Solved& solved,
                            const search::PreparedClaims& prepared,
                            const snapshot::NodeView& view,
                            const api::core_v1::Node& node) const {
    const search::NodeAnswer& answer = solved.answer;
    switch (answer.end) {
      case search::SearchEnd::kFound: return ResultsOf(solved, prepared, view, node);
      case search::SearchEnd::kNothing:
        return Unsatisfiable{.node_error = view.any_invalid ? kInvalidPools : "",
                             .has_invalid_pool = view.any_invalid,
                             .has_incomplete_pool = view.any_incomplete,
                             .requests = solved.shortages};
      case search::SearchEnd::kAborted: return Aborted(answer.picks.front(), prepared, view);
      case search::SearchEnd::kCancelled:
        return Fail(StatusReason::kTimeout, "operation aborted: the caller has cancelled it");
      case search::SearchEnd::kOutOfBudget: break;
    }
    const search::PreparedRequest& request = prepared.requests()[answer.deepest_request];
    size_t first = answer.deepest_request;
    while (first > 0 && prepared.requests()[first - 1].claim == request.claim) --first;
    return Undecided{
        .steps = answer.steps, .claim = request.claim, .request = answer.deepest_request - first};
  }

  static Failure Aborted(const search::Pick& refused,
                         const search::PreparedClaims& prepared,
                         const snapshot::NodeView& view) {
    const search::PreparedVariant& variant = prepared.variants()[refused.variant];
    const rules::DeviceEntry device{.slice = view.SliceOf(refused.bit),
                                    .device = &view.DeviceAt(refused.bit)};
    return Fail(StatusReason::kInvalid,
                rules::ConstraintRefuses(prepared.plans()[variant.claim], *variant.plan, device));
  }

  Result<Outcome> ResultsOf(const Solved& solved,
                            const search::PreparedClaims& prepared,
                            const snapshot::NodeView& view,
                            const api::core_v1::Node& node) const {
    const search::NodeAnswer& answer = solved.answer;
    Allocation allocation;
    allocation.results.reserve(prepared.plans().size());
    size_t request = 0;
    size_t pick = 0;
    for (size_t claim = 0; claim < prepared.plans().size(); ++claim) {
      ClaimPart part{.claim = claim, .first_pick = pick};
      const size_t requests = prepared.plans()[claim].requests.size();
      part.alternatives = std::span(solved.alternatives).subspan(request, requests);
      request += requests;
      while (pick < answer.picks.size() &&
             prepared.variants()[answer.picks[pick].variant].claim == claim) {
        ++pick;
      }
      part.last_pick = pick;
      DRAY_TRY(v1::AllocationResult result, ResultOf(part, solved, prepared, view, node));
      allocation.results.push_back(std::move(result));
    }
    return allocation;
  }

  /// A claim's part of an answer.
  struct ClaimPart {
    size_t claim = 0;
    std::span<const size_t> alternatives = {};  // of its requests
    size_t first_pick = 0, last_pick = 0;
  };

  Result<v1::AllocationResult> ResultOf(const ClaimPart& part,
                                        const Solved& solved,
                                        const search::PreparedClaims& prepared,
                                        const snapshot::NodeView& view,
                                        const api::core_v1::Node& node) const {
    const rules::ClaimPlan& plan = prepared.plans()[part.claim];
    const Features& features = cluster().features();
    std::vector<rules::DeviceEntry> devices;
    devices.reserve(part.last_pick - part.first_pick);
    std::vector<rules::Placement> placements;
    placements.reserve(part.last_pick - part.first_pick);
    for (size_t i = part.first_pick; i < part.last_pick; ++i) {
      const search::Pick& pick = solved.answer.picks[i];
      const rules::Variant& variant = *prepared.variants()[pick.variant].plan;
      const v1::ResourceSlice* const slice = view.SliceOf(pick.bit);
      const rules::DeviceEntry& device = devices.emplace_back(rules::DeviceEntry{
          .slice = slice, .device = &view.DeviceAt(pick.bit), .named_in = slice});
      rules::Placement& placement =
          placements.emplace_back(rules::Placement{.variant = &variant, .device = &device});
      if (!rules::IsShareable(*device.device, features)) continue;
      placement.consumed = solved.consumed[i];
      placement.share_id = rules::ShareIdOf(plan, variant, device);
    }
    return rules::BuildResult(plan, placements, part.alternatives, node, features);
  }

  static constexpr const char* kInvalidPools = "invalid resource pools were encountered";
  /// Too little steps are no reason to know nothing of the claims.
  static constexpr uint64_t kWorkMin = 10'000'000;

  const search::SearchOptions options_;
  const Frozen<snapshot::ClusterState> cluster_;
  const std::vector<Frozen<v1::ResourceClaim>> claims_;
  Mutex prepared_mutex_;
  Frozen<search::PreparedClaims> prepared_ DRAY_GUARDED_BY(prepared_mutex_);
  uint64_t too_little_ DRAY_GUARDED_BY(prepared_mutex_) = 0;  // work that was not enough for them
  std::atomic<uint64_t> spent_ = 0;                           // of the work that the attempt may do
  Lazy<AllocatedState> state_;                                // for the literal search
  Mutex mutex_;
  std::unordered_map<Signature, Frozen<Solved>, SignatureHash> answers_ DRAY_GUARDED_BY(mutex_);
};

Attempt::Attempt(const Snapshot& snapshot, Claims claims)
    : Attempt(std::make_unique<Impl>(snapshot, claims, search::SearchOptions())) {}

Attempt::Attempt(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Attempt Internals::AttemptWith(const Snapshot& snapshot,
                               Attempt::Claims claims,
                               const search::SearchOptions& options) {
  return Attempt(std::make_unique<Attempt::Impl>(snapshot, claims, options));
}

Attempt::~Attempt() = default;
Attempt::Attempt(Attempt&& other) noexcept = default;
Attempt& Attempt::operator=(Attempt&& other) noexcept = default;

Attempt::Claims Attempt::claims() const {
  return impl_->claims();
}

Result<Outcome> Attempt::Allocate(const api::core_v1::Node& node, Budget budget) const {
  return impl_->Allocate(node, budget);
}

}  // namespace dray::allocator
