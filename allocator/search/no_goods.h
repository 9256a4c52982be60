// SPDX-License-Identifier: Apache-2.0
// No-goods: what a search remembers of its dead ends (S-7 in docs/design/allocator.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "allocator/search/assignment.h"
#include "allocator/search/node_problem.h"
#include "allocator/search/symmetry_classes.h"

namespace dray::allocator::search {

/// The continuation of a search depends only on the requests to come and on what they can see of
/// the path: how many devices of each class are free, before and from the place where the scan
/// continues; values that constraints have chosen; what is drawn of counters and capacities. Two
/// places with the same of all that fail alike, whichever devices led there.
class NoGoods {
 public:
  /// All outlives this. `order`: the requests in the order of the search.
  NoGoods(const NodeProblem& problem,
          const SymmetryClasses& classes,
          std::span<const size_t> order);

  /// A place in the search: slot `slot` of `variant`, for the request at `at` in the order, looks
  /// at devices from `from` on.
  struct Place {
    size_t at = 0, variant = 0;
    int64_t slot = 0;
    size_t from = 0;
  };
  std::vector<uint64_t> KeyOf(const Place& place, const Assignment& assignment) const;

  bool Knows(const std::vector<uint64_t>& key) const { return known_.contains(key); }
  /// Kept unless memory is used up (kWordsMax).
  void Remember(std::vector<uint64_t> key);

  static constexpr size_t kWordsMax = size_t{4} << 20U;  // 32 MiB

 private:
  struct Hash {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };

  void AddConstraints(const Place& place,
                      const Assignment& assignment,
                      std::vector<uint64_t>& key) const;
  static void AddCounters(const Assignment& assignment, std::vector<uint64_t>& key);
  static void AddShares(const Assignment& assignment, std::vector<uint64_t>& key);

  const NodeProblem& problem_;
  const SymmetryClasses& classes_;
  std::vector<std::vector<uint32_t>> relevant_;   // by place in the order: classes
  std::vector<std::vector<size_t>> constraints_;  // by place in the order
  std::unordered_set<std::vector<uint64_t>, Hash> known_;
  size_t words_ = 0;
};

}  // namespace dray::allocator::search
