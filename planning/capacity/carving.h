// SPDX-License-Identifier: Apache-2.0
// What can still be cut from devices that share counters: how often each shape fits into what is
// left. Pure numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dray::planning::inline capacity {

/// Steps of one search; when they are used up, the answer is a range.
inline constexpr size_t kCarvingStepsMax = 20'000;

/// One counter that devices draw from.
struct CarvingCounter {
  int64_t total = 0;
  int64_t left = 0;
  /// Counters of one kind are as good as each other for somebody else ("slice-0", "slice-1"): their
  /// sums bound what can fit.
  size_t kind = 0;
};

/// Compatibility groups on a counter set, by bit. Devices go together on a set when all name none,
/// or when they have one in common.
struct CarvingGroups {
  bool any = false;    // there are devices on the set
  bool named = false;  // and they name groups
  uint64_t common = 0;

  bool Admits(bool names, uint64_t groups) const {
    if (!any) return true;
    return named == names && (!named || (common & groups) != 0);
  }
  /// Devices that are on the set may contradict each other, as slices change: who names no groups
  /// changes nothing for the others then.
  void Join(bool names, uint64_t groups) {
    if (!any) {
      *this = {.any = true, .named = names, .common = groups};
    } else if (named && names) {
      common &= groups;
    }
  }
};

/// A device that nobody has and that could be had if its counters were left.
struct CarvingPart {
  size_t shape = 0;
  struct Draw {
    size_t counter = 0;
    int64_t amount = 0;
    auto operator<=>(const Draw&) const = default;
  };
  std::vector<Draw> draws;  // by counter
  struct Membership {
    size_t set = 0;
    bool named = false;
    uint64_t groups = 0;
    auto operator<=>(const Membership&) const = default;
  };
  std::vector<Membership> sets;  // that it draws from
};

/// Counters and the parts that draw from them. Parts of one shape draw the same from each kind, and
/// name the same groups.
struct CarvingProblem {
  size_t shapes = 0;
  std::vector<CarvingCounter> counters;
  std::vector<CarvingGroups> sets;
  std::vector<CarvingPart> parts;
  /// Some counter of the pool is overdrawn: then nothing can be had of it, as the allocator sees
  /// it.
  bool is_overdrawn = false;
  size_t steps_max = kCarvingStepsMax;
};

struct CarvingAnswer {
  /// How many parts of a shape fit beside each other, if all that is left is for them.
  struct Fit {
    size_t least = 0, most = 0;
    bool is_exact() const { return least == most; }
    bool operator==(const Fit&) const = default;
  };
  std::vector<Fit> fits;  // by shape
  /// One way to use up what is left: the largest shape as long as it goes, and so on. By shape.
  std::vector<size_t> together;
  std::vector<double> sizes;  // by shape: the largest share of a kind that it takes
  size_t steps = 0;           // of all searches
};

/// Exact unless a search takes more than `steps_max` steps; then ranges.
/// O(parts * draws) but for searches, which are needed only where parts of one shape draw from
/// different counters.
CarvingAnswer Carve(const CarvingProblem& problem);

}  // namespace dray::planning::inline capacity
