// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/lookahead.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "allocator/search/flow.h"
#include "allocator/search/values.h"

namespace dray::allocator::search {
namespace {

// In units of Work.
constexpr uint64_t kWorkPerClass = 4;
constexpr uint64_t kWorkPerLook = 8;

void KeepLeast(const std::vector<int64_t>& amounts, bool is_first, std::vector<int64_t>& least) {
  for (size_t i = 0; i < least.size(); ++i)
    least[i] = is_first ? amounts[i] : std::min(least[i], amounts[i]);
}

}  // namespace

Lookahead::Lookahead(const NodeProblem& problem,
                     const SymmetryClasses& classes,
                     const SearchOptions& options)
    : problem_(problem), classes_(classes), options_(options) {
  if (!problem.any_draws() || !options.counter_bounds) return;
  NameCounters();
  for (size_t v = 0; v < problem.prepared().variants().size(); ++v) least_.push_back(LeastOf(v));
}

/// Counters of one name, and one unit, in several sets and pools are counted together too.
void Lookahead::NameCounters() {
  std::map<std::pair<std::string_view, bool>, uint32_t> numbers;
  for (const snapshot::NodeView::Pool& pool : problem_.view().pools) {
    std::vector<uint32_t>& names = names_.emplace_back();
    if (!pool.draws_counters) continue;
    for (const std::string& name : pool.facts->counters->names) {
      const auto number = static_cast<uint32_t>(numbers.size());
      const std::pair key(std::string_view(name), pool.facts->counters->in_milli);
      names.push_back(numbers.try_emplace(key, number).first->second);
    }
  }
  name_count_ = numbers.size();
}

/// S-5: what every device that the variant may use draws at least.
Lookahead::Least Lookahead::LeastOf(size_t variant) const {
  Least least{.pool = std::nullopt, .by_counter = {}, .by_name = std::vector<int64_t>(name_count_)};
  bool is_first = true;
  bool one_pool = true;
  for (uint32_t c = 0; c < classes_.size(); ++c) {
    if (!classes_.used_by[c][variant]) continue;
    const size_t bit = classes_.example[c];
    problem_.work().Charge(WorkOfItems(2 * name_count_ + least.by_counter.size()));
    std::vector<int64_t> by_name(name_count_);
    // Only the first share of a device pays, so a device that can be shared may come for nothing.
    const bool draws = problem_.Draws(bit) && !problem_.IsShareable(bit);
    const size_t pool = problem_.PoolOf(bit);
    if (is_first && draws) {
      least.pool = pool;
      least.by_counter.resize(problem_.CountersOf(pool).limits.size());
    }
    one_pool = one_pool && draws && least.pool == pool;
    std::vector<int64_t> by_counter(least.by_counter.size());
    if (draws) {
      for (const snapshot::SetDraw& set : problem_.DrawsOf(bit)) {
        for (const snapshot::CounterDraw& draw : set.draws) {
          by_name[NameOf(pool, draw.counter)] += draw.amount;
          if (one_pool) by_counter[draw.counter] += draw.amount;
        }
      }
    }
    KeepLeast(by_name, is_first, least.by_name);
    if (one_pool) KeepLeast(by_counter, is_first, least.by_counter);
    is_first = false;
  }
  if (!one_pool) least.pool = std::nullopt;
  return least;
}

/// Whether devices of the class have a value that the constraints of the path leave.
bool Lookahead::MayUse(uint32_t device_class, size_t variant, const Assignment& assignment) const {
  if (!classes_.used_by[device_class][variant]) return false;
  if (!options_.value_groups) return true;
  const PreparedVariant& prepared = problem_.prepared().variants()[variant];
  const snapshot::ShapeId shape = problem_.view().ShapeOf(classes_.example[device_class]);
  return std::ranges::all_of(prepared.covering, [&](const PreparedVariant::Covering& covering) {
    problem_.work().Charge(kWorkPerLook);
    if (!problem_.prepared().constraints()[covering.constraint].is_match) return true;
    const std::span<const uint32_t> common = assignment.CommonValues(covering.constraint);
    problem_.work().Charge(common.size());
    return common.empty() || Meet(covering.column->values[covering.column->set_of[shape]], common);
  });
}

/// How many devices are left for the variant; counting ends at `enough`.
int64_t Lookahead::CountFree(size_t variant, int64_t enough, const Assignment& assignment) const {
  int64_t count = 0;
  for (uint32_t c = 0; c < classes_.size() && count < enough; ++c) {
    problem_.work().Charge(kWorkPerClass);
    if (!MayUse(c, variant, assignment)) continue;
    const Words& members = classes_.members[c];
    problem_.work().Charge(2 * members.size());
    for (size_t w = 0; w < members.size(); ++w)
      count += std::popcount(members[w] & ~assignment.HeldWord(variant, w));
  }
  return count;
}

/// What has taken devices of the variant, and what has chosen values for it.
void Lookahead::Blame(size_t variant, const Assignment& assignment, ConflictSet& why) const {
  problem_.work().Charge(WorkOfItems(assignment.picks().size()));
  for (const Pick& pick : assignment.picks()) {
    if (HasBit(problem_.Usable(variant), pick.bit)) why.Add(pick.level);
  }
  for (const auto& covering : problem_.prepared().variants()[variant].covering) {
    problem_.work().Charge(WorkOfItems(assignment.Members(covering.constraint).size()));
    for (const Assignment::Member& member : assignment.Members(covering.constraint))
      why.Add(member.level);
  }
}

bool Lookahead::EachPossible(std::span<const size_t> requests,
                             const Assignment& assignment,
                             ConflictSet& why) const {
  if (!options_.counting) return true;
  for (const size_t index : requests) {
    const PreparedRequest& request = problem_.prepared().requests()[index];
    bool possible = false;
    for (size_t v = request.first_variant; v < request.last_variant && !possible; ++v)
      possible = CountFree(v, problem_.Needed(v), assignment) >= problem_.Needed(v);
    if (possible) continue;
    for (size_t v = request.first_variant; v < request.last_variant; ++v) Blame(v, assignment, why);
    return false;
  }
  return true;
}

bool Lookahead::RestPossible(size_t variant,
                             size_t from,
                             int64_t need,
                             const Assignment& assignment,
                             ConflictSet& why) const {
  if (!options_.counting || need <= 0) return true;
  int64_t count = 0;
  for (uint32_t c = 0; c < classes_.size() && count < need; ++c) {
    problem_.work().Charge(kWorkPerClass);
    if (!MayUse(c, variant, assignment)) continue;
    const Words& members = classes_.members[c];
    problem_.work().Charge(2 * members.size());
    for (size_t w = from / 64; w < members.size(); ++w) {
      uint64_t word = members[w] & ~assignment.HeldWord(variant, w);
      if (w == from / 64) word &= ~uint64_t{0} << (from % 64);
      count += std::popcount(word);
    }
  }
  if (count >= need) return true;
  Blame(variant, assignment, why);
  return false;
}

bool Lookahead::AllPossible(std::span<const size_t> requests, const Assignment& assignment) const {
  if (options_.flow && !FlowPossible(requests, assignment)) return false;
  return !options_.counter_bounds || least_.empty() || CountersPossible(requests, assignment);
}

bool Lookahead::FlowPossible(std::span<const size_t> requests, const Assignment& assignment) const {
  if (requests.size() < 2) return true;
  std::vector<Demand> demands;
  Words shareable(problem_.any_shareable() ? problem_.words() : 0);
  for (const size_t index : requests) {
    const PreparedRequest& request = problem_.prepared().requests()[index];
    if (problem_.prepared().variants()[request.first_variant].admin()) continue;
    Demand demand{.need = std::numeric_limits<int64_t>::max(), .from = Words(problem_.words())};
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      demand.need = std::min(demand.need, problem_.Needed(v));
      for (uint32_t c = 0; c < classes_.size(); ++c) {
        problem_.work().Charge(kWorkPerClass);
        if (!MayUse(c, v, assignment)) continue;
        problem_.work().Charge(demand.from.size());
        for (size_t w = 0; w < demand.from.size(); ++w)
          demand.from[w] |= classes_.members[c][w] & ~assignment.held()[w];
      }
    }
    if (!shareable.empty()) {
      ForEachBit(demand.from, [&](size_t bit) {
        if (problem_.IsShareable(bit)) AddBit(shareable, bit);
      });
    }
    demands.push_back(std::move(demand));
  }
  return EnoughForAll(demands, shareable, problem_.work());
}

/// How many devices the variant takes at least: a count may be any number, a claim gets no more.
int64_t Lookahead::SlotsOf(size_t variant) const {
  return std::clamp<int64_t>(problem_.Needed(variant), 0, rules::kDevicesPerClaimMax);
}

Lookahead::CountersLeft Lookahead::LeftOf(const Assignment& assignment) const {
  CountersLeft left{.by_pool = std::vector<std::vector<int64_t>>(assignment.pools()),
                    .by_name = std::vector<int64_t>(name_count_)};
  for (size_t p = 0; p < assignment.pools(); ++p) {
    if (!problem_.view().pools[p].draws_counters) continue;
    std::vector<int64_t>& of_pool = left.by_pool[p];
    of_pool = problem_.Available(p);
    const std::vector<int64_t>& drawn = assignment.Drawn(p);
    problem_.work().Charge(WorkOfItems(of_pool.size()));
    for (size_t i = 0; i < of_pool.size(); ++i) {
      if (!drawn.empty()) of_pool[i] -= drawn[i];
      // An overdrawn pool gives nothing: its devices are not usable.
      left.by_name[NameOf(p, i)] += std::max<int64_t>(of_pool[i], 0);
    }
  }
  return left;
}

/// Draws what the request draws at least, whichever of its variants it gets. False: more than left.
bool Lookahead::DrawLeast(const PreparedRequest& request, CountersLeft& left) const {
  std::vector<int64_t> least(name_count_, std::numeric_limits<int64_t>::max());
  problem_.work().Charge(
      WorkOfItems(name_count_ * (1 + request.last_variant - request.first_variant)));
  for (size_t v = request.first_variant; v < request.last_variant; ++v) {
    for (size_t n = 0; n < name_count_; ++n)
      least[n] = std::min(least[n], SlotsOf(v) * least_[v].by_name[n]);
  }
  for (size_t n = 0; n < name_count_; ++n) {
    left.by_name[n] -= least[n];
    if (left.by_name[n] < 0) return false;
  }
  const Least& only = least_[request.first_variant];
  if (request.last_variant - request.first_variant > 1 || !only.pool.has_value()) return true;
  const int64_t needed = SlotsOf(request.first_variant);
  std::vector<int64_t>& of_pool = left.by_pool[*only.pool];
  for (size_t i = 0; i < of_pool.size(); ++i) {
    of_pool[i] -= needed * only.by_counter[i];
    if (of_pool[i] < 0) return false;
  }
  return true;
}

/// S-5: drawing is additive, and nothing is ever given back further down the path.
bool Lookahead::CountersPossible(std::span<const size_t> requests,
                                 const Assignment& assignment) const {
  CountersLeft left = LeftOf(assignment);
  return std::ranges::all_of(requests, [&](size_t index) {
    return DrawLeast(problem_.prepared().requests()[index], left);
  });
}

}  // namespace dray::allocator::search
