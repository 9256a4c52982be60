// SPDX-License-Identifier: Apache-2.0
// Solves how often each shape of partitions fits into what is left of shared counters. Pure
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dray::planning::inline capacity {

/// The most steps of one search. A search that reaches it returns a range.
inline constexpr size_t kCarvingStepsMax = 20'000;

/// One counter that devices draw from.
struct CarvingCounter {
  int64_t total = 0;
  int64_t left = 0;
  /// Counters of one kind are interchangeable for users ("slice-0", "slice-1"). The sums of kinds
  /// bound what can fit.
  size_t kind = 0;
};

/// Compatibility groups on a counter set, as bits. Devices can share a set if none of them names a
/// group, or if all have a group in common.
struct CarvingGroups {
  bool any = false;    // there are devices on the set
  bool named = false;  // and they name groups
  uint64_t common = 0;

  bool Admits(bool names, uint64_t groups) const {
    if (!any) return true;
    return named == names && (!named || (common & groups) != 0);
  }
  /// Adds a device to the set. Devices on the set may contradict each other, because slices change;
  /// a device without groups then has no effect on the others.
  void Join(bool names, uint64_t groups) {
    if (!any) {
      *this = {.any = true, .named = names, .common = groups};
    } else if (named && names) {
      common &= groups;
    }
  }
};

/// An unused device that is available if its counters are left.
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
  std::vector<Membership> sets;  // the sets that it draws from
};

/// Counters and the parts that draw from them. Parts of one shape draw the same amount from each
/// kind and name the same groups.
struct CarvingProblem {
  size_t shapes = 0;
  std::vector<CarvingCounter> counters;
  std::vector<CarvingGroups> sets;
  std::vector<CarvingPart> parts;
  /// Some counter of the pool is overdrawn. The allocator then gives out none of its devices.
  bool is_overdrawn = false;
  size_t steps_max = kCarvingStepsMax;
};

struct CarvingAnswer {
  /// How many parts of a shape fit at the same time, if everything left is for them.
  struct Fit {
    size_t least = 0, most = 0;
    bool is_exact() const { return least == most; }
    bool operator==(const Fit&) const = default;
  };
  std::vector<Fit> fits;  // by shape
  /// One way to use up what is left: as many as possible of the largest shape, then of the next. By
  /// shape.
  std::vector<size_t> together;
  std::vector<double> sizes;  // by shape: the largest share of a kind that it takes
  size_t steps = 0;           // of all searches
};

/// Exact unless a search takes more than `steps_max` steps; ranges then. O(parts * draws) plus the
/// searches, which are needed only where parts of one shape draw from different counters.
CarvingAnswer Carve(const CarvingProblem& problem);

}  // namespace dray::planning::inline capacity
