// SPDX-License-Identifier: Apache-2.0
// Explanations that are kept while nothing is placed: equal pods ask the same question, and only
// the first of them is searched for.
#pragma once

#include <cstddef>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "planning/explain/explanation.h"
#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// Two questions are the same if their claims differ in names and uids only, and if the nodes, what
/// is held against each of them, and the claims that stay are equal. The answer to the second is
/// then that to the first with the names of its own claims.
///
/// Precondition: all questions are about one snapshot and its holders; Forget() when they change.
class ExplanationMemory {
 public:
  /// As planning::Explain; O(size of the answer) where the question was asked before. An answer
  /// that was cancelled is not kept.
  Explanation Explain(const ExplanationQuestion& question);
  void Forget() { known_.clear(); }

  size_t size() const { return known_.size(); }
  /// The oldest is forgotten past this.
  static constexpr size_t kKnownMax = 64;

 private:
  struct Known {
    WantedClaims claims;
    std::vector<const api::core_v1::Node*> nodes;
    std::vector<std::string> objections;  // by node
    std::set<std::string> own_claims;     // without uids of `claims`
    Detail detail = Detail::kFull;
    Explanation explanation;
  };

  static Known Asked(const ExplanationQuestion& question);
  static bool IsSame(const Known& known, const Known& asked);

  std::list<Known> known_;  // the oldest first
};

}  // namespace dray::planning::inline explain
