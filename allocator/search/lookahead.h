// SPDX-License-Identifier: Apache-2.0
// Lookahead: whether what the path of a search left can still satisfy the requests to come (S-n:
// docs/design/allocator.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allocator/search/assignment.h"
#include "allocator/search/conflict_set.h"
#include "allocator/search/node_problem.h"
#include "allocator/search/options.h"
#include "allocator/search/symmetry_classes.h"

namespace dray::allocator::search {

/// Looks ahead from a place in the search. Each answer "no" is a proof: rules only get stricter as
/// devices are given.
class Lookahead {
 public:
  /// All outlives this.
  Lookahead(const NodeProblem& problem,
            const SymmetryClasses& classes,
            const SearchOptions& options);

  /// Whether each of `requests` (in PreparedClaims::requests) may still be satisfied (S-2, S-3); if
  /// not, `why` gains what stands in the way. O(classes × requests).
  bool EachPossible(std::span<const size_t> requests,
                    const Assignment& assignment,
                    ConflictSet& why) const;
  /// Whether the variant may still get `need` devices from `from` on.
  bool RestPossible(size_t variant,
                    size_t from,
                    int64_t need,
                    const Assignment& assignment,
                    ConflictSet& why) const;
  /// Whether all of `requests` together may (S-2's flow, S-5). Depends on everything given so far.
  bool AllPossible(std::span<const size_t> requests, const Assignment& assignment) const;

 private:
  /// The least a variant draws, per device it is given.
  struct Least {
    std::optional<size_t> pool;       // all its devices draw from this one; else only by name
    std::vector<int64_t> by_counter;  // of that pool
    std::vector<int64_t> by_name;     // over all pools
  };

  /// What may still be drawn.
  struct CountersLeft {
    std::vector<std::vector<int64_t>> by_pool;  // and counter
    std::vector<int64_t> by_name;               // over all pools
  };

  bool MayUse(uint32_t device_class, size_t variant, const Assignment& assignment) const;
  int64_t CountFree(size_t variant, int64_t enough, const Assignment& assignment) const;
  void Blame(size_t variant, const Assignment& assignment, ConflictSet& why) const;
  bool FlowPossible(std::span<const size_t> requests, const Assignment& assignment) const;
  bool CountersPossible(std::span<const size_t> requests, const Assignment& assignment) const;
  Least LeastOf(size_t variant) const;
  CountersLeft LeftOf(const Assignment& assignment) const;
  bool DrawLeast(const PreparedRequest& request, CountersLeft& left) const;
  uint32_t NameOf(size_t pool, size_t counter) const { return names_[pool][counter]; }
  int64_t SlotsOf(size_t variant) const;
  void NameCounters();

  const NodeProblem& problem_;
  const SymmetryClasses& classes_;
  const SearchOptions& options_;
  std::vector<std::vector<uint32_t>> names_;  // by pool and counter: one number for one name
  size_t name_count_ = 0;
  std::vector<Least> least_;  // by variant; empty without counters
};

}  // namespace dray::allocator::search
