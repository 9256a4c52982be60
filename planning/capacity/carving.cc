// SPDX-License-Identifier: Apache-2.0
// How many parts of one shape fit is a packing problem with one dimension per counter. Parts with
// the same draws are one kind of item, with a number of copies. If a shape has a single kind of
// item, a division answers. Otherwise (placements such as "slices 0 and 1" or "slices 2 and 3") a
// branch-and-bound search takes kinds in order, as many of each as possible first. It prunes a
// branch that cannot beat the best packing so far: no more parts can follow than there are, nor
// than the sums of the counters allow. Invariant: `best` is always a real packing, and no packing
// exceeds `bound`.
//
// An integer program would give the same answer. Hardware has so few placements (19 on an H100)
// that the search ends after some hundred steps.
#include "planning/capacity/carving.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace dray::planning::inline capacity {
namespace {

using Draw = CarvingPart::Draw;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

bool Joins(const CarvingPart& part, const std::vector<CarvingGroups>& sets) {
  return std::ranges::all_of(part.sets, [&](const CarvingPart::Membership& member) {
    return sets[member.set].Admits(member.named, member.groups);
  });
}

using Left = std::vector<int64_t>;  // by counter

/// How many times the draws fit into what is left.
size_t TimesIn(const std::vector<Draw>& draws, const Left& left) {
  size_t times = kNoLimit;
  for (const Draw& draw : draws) {
    if (draw.amount > left[draw.counter]) return 0;
    if (draw.amount > 0)
      times = std::min(times, static_cast<size_t>(left[draw.counter] / draw.amount));
  }
  return times;
}

void Take(const std::vector<Draw>& draws, size_t times, Left& left) {
  for (const Draw& draw : draws) left[draw.counter] -= draw.amount * static_cast<int64_t>(times);
}

void GiveBack(const std::vector<Draw>& draws, size_t times, Left& left) {
  for (const Draw& draw : draws) left[draw.counter] += draw.amount * static_cast<int64_t>(times);
}

/// The amounts that a shape draws, by kind of counter.
using Sums = std::map<size_t, int64_t>;

/// Finds the most parts of one shape that fit.
class Packing {
 public:
  Packing(const CarvingProblem& problem, const Sums& sums, Left& left)
      : problem_(problem), sums_(sums), left_(left) {}

  /// Adds an available part.
  void Add(const CarvingPart& part) { ++items_[part.draws]; }

  CarvingAnswer::Fit Solve() {
    for (const auto& [draws, count] : items_) {
      if (TimesIn(draws, left_) > 0) order_.push_back({&draws, count});
    }
    after_.assign(order_.size() + 1, 0);
    for (size_t i = order_.size(); i-- > 0;) after_[i] = after_[i + 1] + order_[i].count;
    const size_t bound = Bound(0);
    Search(0, 0);
    return {.least = best_, .most = gave_up_ ? bound : best_};
  }

  size_t steps() const { return steps_; }

 private:
  struct Item {
    const std::vector<Draw>* draws;
    size_t count;
  };

  /// An upper bound of the parts that can be taken from the items from `first` on.
  size_t Bound(size_t first) const {
    size_t bound = after_[first];
    std::map<size_t, int64_t> together;
    for (size_t i = 0; i < left_.size(); ++i)
      together[problem_.counters[i].kind] += std::max<int64_t>(left_[i], 0);
    for (const auto& [kind, amount] : sums_) {
      if (amount > 0) bound = std::min(bound, static_cast<size_t>(together[kind] / amount));
    }
    return bound;
  }

  void Search(size_t item, size_t taken) {
    best_ = std::max(best_, taken);
    if (gave_up_ || item == order_.size() || taken + Bound(item) <= best_) return;
    if (steps_ == problem_.steps_max) {
      gave_up_ = true;
      return;
    }
    ++steps_;
    const std::vector<Draw>& draws = *order_[item].draws;
    for (size_t times = std::min(order_[item].count, TimesIn(draws, left_)) + 1; times-- > 0;) {
      Take(draws, times, left_);
      Search(item + 1, taken + times);
      GiveBack(draws, times, left_);
    }
  }

  const CarvingProblem& problem_;
  const Sums& sums_;
  Left& left_;
  std::map<std::vector<Draw>, size_t> items_;
  std::vector<Item> order_;
  std::vector<size_t> after_;  // number of parts from this item on
  size_t best_ = 0;
  size_t steps_ = 0;
  bool gave_up_ = false;
};

class Carver {
 public:
  explicit Carver(const CarvingProblem& problem)
      : problem_(problem), sums_(problem.shapes), has_parts_(problem.shapes) {
    for (const CarvingCounter& counter : problem.counters) {
      left_.push_back(counter.left);
      total_of_kind_[counter.kind] += counter.total;
    }
    for (const CarvingPart& part : problem.parts) {
      if (has_parts_[part.shape]) continue;
      has_parts_[part.shape] = true;
      for (const Draw& draw : part.draws)
        sums_[part.shape][problem.counters[draw.counter].kind] += draw.amount;
    }
  }

  CarvingAnswer Run() {
    answer_.fits.resize(problem_.shapes);
    answer_.together.resize(problem_.shapes);
    for (size_t shape = 0; shape < problem_.shapes; ++shape)
      answer_.sizes.push_back(SizeOf(sums_[shape]));
    if (problem_.is_overdrawn) return std::move(answer_);
    for (size_t shape = 0; shape < problem_.shapes; ++shape) Fit(shape);
    UseUp();
    return std::move(answer_);
  }

 private:
  double SizeOf(const Sums& sums) const {
    double size = 0;
    for (const auto& [kind, amount] : sums) {
      const int64_t total = total_of_kind_.at(kind);
      if (total > 0)
        size = std::max(size, static_cast<double>(amount) / static_cast<double>(total));
    }
    return size;
  }

  void Fit(size_t shape) {
    Packing packing(problem_, sums_[shape], left_);
    for (const CarvingPart& part : problem_.parts) {
      if (part.shape == shape && Joins(part, problem_.sets)) packing.Add(part);
    }
    answer_.fits[shape] = packing.Solve();
    answer_.steps += packing.steps();
  }

  /// Takes the largest shape first, parts in the given order.
  void UseUp() {
    std::vector<size_t> order(problem_.parts.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](size_t part) {
      return std::pair(-answer_.sizes[problem_.parts[part].shape], part);
    });
    Left left = left_;
    std::vector<CarvingGroups> sets = problem_.sets;
    for (const size_t i : order) {
      const CarvingPart& part = problem_.parts[i];
      if (TimesIn(part.draws, left) == 0 || !Joins(part, sets)) continue;
      Take(part.draws, 1, left);
      for (const CarvingPart::Membership& member : part.sets)
        sets[member.set].Join(member.named, member.groups);
      ++answer_.together[part.shape];
    }
  }

  const CarvingProblem& problem_;
  std::vector<Sums> sums_;  // by shape
  std::vector<bool> has_parts_;
  Left left_;
  std::map<size_t, int64_t> total_of_kind_;
  CarvingAnswer answer_;
};

}  // namespace

CarvingAnswer Carve(const CarvingProblem& problem) {
  return Carver(problem).Run();
}

}  // namespace dray::planning::inline capacity
