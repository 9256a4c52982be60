// SPDX-License-Identifier: Apache-2.0
// Decisions are made in upstream's order: request by request, the alternative taken, then device
// after device at increasing places, each time the first that is possible. So the first complete
// solution is the lexicographically smallest one. Whatever is skipped holds no solution (options.h
// names the proofs), hence the answer is that of the plain search.
#include "allocator/search/node_search.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "allocator/search/components.h"
#include "allocator/search/conflict_set.h"
#include "allocator/search/lookahead.h"
#include "allocator/search/no_goods.h"
#include "allocator/search/root_bounds.h"
#include "allocator/search/symmetry_classes.h"

namespace dray::allocator::search {
namespace {

// What the search takes besides what its parts charge, in units of Work.
constexpr uint64_t kWorkPerStep = 64;
constexpr uint64_t kWorkPerTrial = 64;
constexpr uint64_t kWorkPerLikeness = 4;

/// What the proofs know about the node. Without it the search is plain.
struct Knowledge {
  const SymmetryClasses& classes;
  const Lookahead& lookahead;
  NoGoods& no_goods;
};

class Searcher {
 public:
  Searcher(const NodeProblem& problem,
           std::span<const size_t> order,
           const SearchOptions& options,
           const Budget& budget,
           int64_t steps_max,
           const Knowledge* knowledge)
      : problem_(problem),
        order_(order),
        options_(options),
        budget_(budget),
        steps_max_(steps_max),
        knowledge_(knowledge),
        assignment_(problem),
        variants_(problem.prepared().requests().size()),
        alternative_levels_(variants_.size()),
        careful_before_(CarefulBefore(problem, order)) {}

  NodeAnswer Run() {
    ConflictSet why;
    const bool found = RunRequest(0, why);
    NodeAnswer answer{.steps = steps_, .deepest_request = deepest_};
    if (found) {
      answer.end = SearchEnd::kFound;
      answer.picks.assign(assignment_.picks().begin(), assignment_.picks().end());
      answer.variants = variants_;
    } else if (stopped_.has_value()) {
      answer.end = *stopped_;
      if (*stopped_ == SearchEnd::kAborted) answer.picks.push_back(refused_);
    }
    return answer;
  }

 private:
  /// The number of leading requests, up to the last one that may abort, in which the search must
  /// not prune, because upstream returns an error found in such a branch. Branches that are alike
  /// are not pruned either, because "all devices" meet a device that is held, or one that a
  /// constraint refuses, in the order of their places.
  static size_t CarefulBefore(const NodeProblem& problem, std::span<const size_t> order) {
    for (size_t at = order.size(); at-- > 0;) {
      const PreparedRequest& request = problem.prepared().requests()[order[at]];
      for (size_t v = request.first_variant; v < request.last_variant; ++v) {
        if (problem.MayAbort(v)) return at + 1;
      }
    }
    return 0;
  }
  bool MayGiveUp(size_t at) const { return at >= careful_before_; }
  bool MayJump(size_t at) const { return options_.backjumping && MayGiveUp(at); }

  const PreparedRequest& RequestAt(size_t at) const {
    return problem_.prepared().requests()[order_[at]];
  }
  const PreparedVariant& VariantAt(size_t v) const { return problem_.prepared().variants()[v]; }

  bool MayGoOn() {
    problem_.work().Charge(kWorkPerStep);
    if (++steps_ > steps_max_ || problem_.work().is_spent()) stopped_ = SearchEnd::kOutOfBudget;
    if (budget_.IsCancelled()) stopped_ = SearchEnd::kCancelled;
    return !stopped_.has_value();
  }

  bool RunRequest(size_t at, ConflictSet& why) {
    if (at == order_.size()) return true;
    deepest_ = std::max(deepest_, order_[at]);
    if (knowledge_ != nullptr && MayGiveUp(at) &&
        !knowledge_->lookahead.AllPossible(order_.subspan(at), assignment_)) {
      why.AddAllBefore(level_);
      return DeadEnd();
    }
    const PreparedRequest& request = RequestAt(at);
    if (request.prioritized) return RunAlternatives(at, request, why);
    variants_[order_[at]] = request.first_variant;
    return RunSlot(at, 0, 0, why);
  }

  bool RunAlternatives(size_t at, const PreparedRequest& request, ConflictSet& why) {
    const size_t level = level_++;
    alternative_levels_[order_[at]] = level;
    ConflictSet all;
    bool all_too_many = true;
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      variants_[order_[at]] = v;
      ConflictSet mine;
      if (RunSlot(at, 0, 0, mine)) return true;
      if (stopped_.has_value()) return false;
      all_too_many = all_too_many && too_many_;
      all |= mine;
      if (MayJump(at) && !mine.Has(level)) {  // S-8: no other alternative helps either
        all = mine;
        break;
      }
    }
    too_many_ = all_too_many;
    --level_;
    all.Remove(level);
    why |= all;
    return false;
  }

  /// The alternative that is taken is among the reasons for what happens to its devices.
  void BlameAlternative(size_t at, ConflictSet& why) const {
    if (RequestAt(at).prioritized) why.Add(alternative_levels_[order_[at]]);
  }

  bool RunSlot(size_t at, int64_t slot, size_t from, ConflictSet& why) {
    if (!MayGoOn()) return false;
    const size_t v = variants_[order_[at]];
    const PreparedVariant& variant = VariantAt(v);
    const int64_t needed = problem_.Needed(v);
    if (variant.wants_all() && needed == 0) {
      BlameAlternative(at, why);
      return DeadEnd();
    }
    if (slot >= needed) {
      if (RunRequest(at + 1, why)) return true;
      const bool claim_ends = at + 1 == order_.size() || RequestAt(at + 1).claim != variant.claim;
      if (claim_ends) too_many_ = false;
      return false;
    }
    if (!FitsClaim(variant.claim, needed - slot)) {
      too_many_ = true;
      for (size_t before = 0; before <= at; ++before) {
        if (RequestAt(before).claim == variant.claim) BlameAlternative(before, why);
      }
      return false;
    }
    if (variant.wants_all()) return TakeNextOfAll(at, slot, from, why);
    return Scan({.at = at, .variant = v, .slot = slot, .from = from}, why);
  }

  bool DeadEnd() {
    too_many_ = false;
    return false;
  }

  bool FitsClaim(size_t claim, int64_t more) const {
    const auto placed = static_cast<int64_t>(assignment_.ResultsOf(claim));
    return more <= rules::kDevicesPerClaimMax - placed;
  }

  /// S-11 in passing: an "all devices" request whose list holds an unusable device fails at once.
  bool TakeNextOfAll(size_t at, int64_t slot, size_t from, ConflictSet& why) {
    const size_t v = variants_[order_[at]];
    const size_t bit = NextBit(problem_.Listed(v), from);
    const size_t level = level_++;
    ConflictSet mine;
    if (!HasBit(problem_.Usable(v), bit) || assignment_.IsHeld(v, bit)) {
      BlameHolders(v, mine);
      too_many_ = false;
    } else if (assignment_.Give({.variant = v, .bit = bit, .level = level}, mine)) {
      if (RunSlot(at, slot + 1, bit + 1, mine)) return true;
      if (stopped_.has_value()) return false;
      assignment_.TakeBackLast();
    } else if (assignment_.refusal() == Assignment::Refusal::kConstraint) {
      refused_ = {.variant = v, .bit = bit, .level = level};
      stopped_ = SearchEnd::kAborted;
      return false;
    } else {
      too_many_ = false;
    }
    --level_;
    mine.Remove(level);
    BlameAlternative(at, mine);
    why |= mine;
    return false;
  }

  static size_t NextBit(WordSpan words, size_t from) {
    for (size_t w = from / 64; w < words.size(); ++w) {
      uint64_t word = words[w];
      if (w == from / 64) word &= ~uint64_t{0} << (from % 64);
      if (word != 0) return w * 64 + static_cast<size_t>(std::countr_zero(word));
    }
    return words.size() * 64;
  }

  /// Adds the holders of devices that the variant could have.
  void BlameHolders(size_t v, ConflictSet& why) const {
    problem_.work().Charge(WorkOfItems(assignment_.picks().size()));
    for (const Pick& pick : assignment_.picks()) {
      if (HasBit(problem_.Usable(v), pick.bit)) why.Add(pick.level);
    }
  }

  /// Tries the devices from `place.from` on, in order.
  bool Scan(const NoGoods::Place& place, ConflictSet& why) {
    std::vector<uint64_t> key;
    if (UsesMemory() && MayGiveUp(place.at)) {
      key = knowledge_->no_goods.KeyOf(place, assignment_);
      if (knowledge_->no_goods.Knows(key)) {
        why.AddAllBefore(level_);
        return DeadEnd();
      }
    }
    const size_t level = level_++;
    const ScanEnd end = TryAll(place, level, why);
    if (end == ScanEnd::kFound) return true;
    --level_;
    if (end == ScanEnd::kFailed && !too_many_ && !key.empty())
      knowledge_->no_goods.Remember(std::move(key));
    return false;
  }

  enum class ScanEnd : uint8_t { kFound, kFailed, kStopped };

  ScanEnd TryAll(const NoGoods::Place& place, size_t level, ConflictSet& why) {
    ConflictSet all;
    std::vector<uint32_t> tried;  // classes
    const WordSpan usable = problem_.Usable(place.variant);
    problem_.work().Charge(2 * usable.size());
    for (size_t w = place.from / 64; w < usable.size(); ++w) {
      uint64_t word = usable[w] & ~assignment_.HeldWord(place.variant, w);
      if (w == place.from / 64) word &= ~uint64_t{0} << (place.from % 64);
      for (; word != 0; word &= word - 1) {
        const size_t bit = w * 64 + static_cast<size_t>(std::countr_zero(word));
        if (MayGiveUp(place.at) && IsLikeTried(bit, place.variant, tried)) continue;
        ConflictSet mine;
        if (TryOne(place, level, bit, mine)) return ScanEnd::kFound;
        if (stopped_.has_value()) return ScanEnd::kStopped;
        // Too many for the claim, whichever device it is: upstream tries no other, which matters
        // where one might end in an error.
        if (too_many_ && !MayGiveUp(place.at)) {
          why |= mine;
          return ScanEnd::kFailed;
        }
        if (MayJump(place.at) && !mine.Has(level)) {  // S-8: no other device helps either
          why |= mine;
          return ScanEnd::kFailed;
        }
        all |= mine;
      }
    }
    BlameHolders(place.variant, all);  // also for the devices before `from`: the slot before this
    BlameAlternative(place.at, all);
    all.Remove(level);
    why |= all;
    too_many_ = false;
    return ScanEnd::kFailed;
  }

  /// S-1: a device that is interchangeable with one that failed here fails too.
  bool IsLikeTried(size_t bit, size_t variant, std::vector<uint32_t>& tried) const {
    if (knowledge_ == nullptr || !options_.symmetry) return false;
    const uint32_t device_class = knowledge_->classes.class_of[bit];
    problem_.work().Charge(kWorkPerLikeness + tried.size() / 4);
    // With admin access a device may be held by another claim: then its marks distinguish it.
    if (VariantAt(variant).admin() && HasBit(assignment_.held(), bit)) return false;
    if (std::ranges::find(tried, device_class) != tried.end()) return true;
    tried.push_back(device_class);
    return false;
  }

  bool TryOne(const NoGoods::Place& place, size_t level, size_t bit, ConflictSet& why) {
    problem_.work().Charge(kWorkPerTrial);
    if (!assignment_.Give({.variant = place.variant, .bit = bit, .level = level}, why)) {
      why.Add(level);  // another device may be free of that
      return DeadEnd();
    }
    const bool possible =
        knowledge_ == nullptr || !MayGiveUp(place.at + 1) || IsPossible(place, bit, why);
    if (possible && RunSlot(place.at, place.slot + 1, bit + 1, why)) return true;
    if (stopped_.has_value()) return false;
    if (!possible) too_many_ = false;
    assignment_.TakeBackLast();
    return false;
  }

  bool IsPossible(const NoGoods::Place& place, size_t bit, ConflictSet& why) const {
    const int64_t rest = problem_.Needed(place.variant) - place.slot - 1;
    if (!knowledge_->lookahead.RestPossible(place.variant, bit + 1, rest, assignment_, why)) {
      BlameAlternative(place.at, why);
      return false;
    }
    return knowledge_->lookahead.EachPossible(order_.subspan(place.at + 1), assignment_, why);
  }

  /// Marks of admin access depend on the claim, which the memory's keys do not contain.
  bool UsesMemory() const {
    return knowledge_ != nullptr && options_.no_goods && !problem_.prepared().any_admin();
  }

  const NodeProblem& problem_;
  const std::span<const size_t> order_;
  const SearchOptions& options_;
  const Budget& budget_;
  const int64_t steps_max_;
  const Knowledge* const knowledge_;
  Assignment assignment_;
  std::vector<size_t> variants_;            // by request: the one being tried
  std::vector<size_t> alternative_levels_;  // by request: the decision for it
  const size_t careful_before_;             // in the order
  Pick refused_;
  /// The last dead end is due to the number of devices alone, whichever they are.
  bool too_many_ = false;
  size_t level_ = 0;
  int64_t steps_ = 0;
  size_t deepest_ = 0;
  std::optional<SearchEnd> stopped_;
};

/// The search with all proofs.
class ProvingSearch {
 public:
  ProvingSearch(const NodeProblem& problem,
                const SymmetryClasses& classes,
                const SearchOptions& options,
                const Budget& budget)
      : problem_(problem),
        options_(options),
        budget_(budget),
        classes_(classes),
        lookahead_(problem, classes, options) {}

  /// One component after the other; together their solutions are the solution (S-9).
  NodeAnswer Run(int64_t steps_before, bool may_abort) {
    whole_ = {.end = SearchEnd::kFound, .steps = steps_before};
    whole_.variants.resize(problem_.prepared().requests().size());
    for (const std::vector<size_t>& order : ComponentsOf(problem_, classes_, options_)) {
      if (options_.early_refutation && !may_abort && !Possible(order)) return std::move(whole_);
      NodeAnswer part = Search(order, budget_.steps_max - whole_.steps);
      if (part.end != SearchEnd::kFound) {
        whole_.end = part.end;
        whole_.picks = std::move(part.picks);
        return std::move(whole_);
      }
      whole_.picks.insert(whole_.picks.end(), part.picks.begin(), part.picks.end());
      for (const size_t request : order) whole_.variants[request] = part.variants[request];
    }
    std::ranges::sort(whole_.picks, {}, [&](const Pick& pick) {
      return std::pair(problem_.prepared().variants()[pick.variant].request, pick.bit);
    });
    return std::move(whole_);
  }

 private:
  NodeAnswer Search(std::span<const size_t> order, int64_t steps_max) {
    NoGoods no_goods(problem_, classes_, order);
    const Knowledge knowledge{.classes = classes_, .lookahead = lookahead_, .no_goods = no_goods};
    NodeAnswer part = Searcher(problem_, order, options_, budget_, steps_max, &knowledge).Run();
    whole_.steps += part.steps;
    whole_.deepest_request = std::max(whole_.deepest_request, part.deepest_request);
    return part;
  }

  /// S-10: other requests only take away. So what a group of requests cannot have alone, it cannot
  /// have among others, and need not be tried with each of their choices.
  bool Possible(std::span<const size_t> order) {
    constexpr int64_t kStepsMax = 10'000;  // beyond, the search of all decides
    const std::vector<std::vector<size_t>> groups = RuleGroupsOf(problem_, classes_, order);
    if (groups.size() < 2) return true;
    for (const std::vector<size_t>& group : groups) {
      const NodeAnswer alone = Search(group, std::min(kStepsMax, budget_.steps_max - whole_.steps));
      if (alone.end != SearchEnd::kNothing && alone.end != SearchEnd::kCancelled) continue;
      whole_.end = alone.end;
      return false;
    }
    return true;
  }

  const NodeProblem& problem_;
  const SearchOptions& options_;
  const Budget& budget_;
  const SymmetryClasses& classes_;
  const Lookahead lookahead_;
  NodeAnswer whole_;
};

}  // namespace

NodeAnswer SearchNode(NodeProblem& problem, const SearchOptions& options, const Budget& budget) {
  bool may_abort = false;
  for (size_t v = 0; v < problem.prepared().variants().size(); ++v)
    may_abort = may_abort || problem.MayAbort(v);
  if (!may_abort && options.counting && !EnoughForEach(problem))
    return {.end = SearchEnd::kNothing};
  int64_t steps = 0;
  if (options.optimism) {
    // A few steps are enough where nothing stands in the way, which is most of the time.
    constexpr int64_t kStepsPerDevice = 4;
    int64_t devices = 1;
    for (const PreparedRequest& request : problem.prepared().requests())
      devices +=
          std::clamp<int64_t>(problem.Needed(request.first_variant), 1, rules::kDevicesPerClaimMax);
    const int64_t steps_max = std::min(budget.steps_max, kStepsPerDevice * devices);
    const std::vector<size_t> order = AllRequests(problem.prepared());
    NodeAnswer quick = Searcher(problem, order, options, budget, steps_max, nullptr).Run();
    if (quick.end != SearchEnd::kOutOfBudget || steps_max == budget.steps_max) return quick;
    steps = quick.steps;
  }
  if (!may_abort && RefuteAtRoot(problem, options))
    return {.end = SearchEnd::kNothing, .steps = steps};
  SearchOptions together = options;
  together.decomposition = options.decomposition && !may_abort;
  const SymmetryClasses classes = SymmetryClassesOf(problem);
  return ProvingSearch(problem, classes, together, budget).Run(steps, may_abort);
}

}  // namespace dray::allocator::search
