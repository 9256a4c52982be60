// SPDX-License-Identifier: Apache-2.0
// A cache of explanations: equal pods ask the same question, and only the first needs a search.
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

/// Two questions are equal if their claims differ only in names and uids, and if the nodes, the
/// objections to them, and the claims that stay are equal. The second answer is then the first with
/// the names of the second question's claims.
///
/// Precondition: all questions are about one snapshot and its holders; call Forget() when they
/// change.
class ExplanationMemory {
 public:
  /// Like planning::Explain; O(size of the answer) for a question that is cached. A cancelled
  /// answer is not cached.
  Explanation Explain(const ExplanationQuestion& question);
  void Forget() { known_.clear(); }

  size_t size() const { return known_.size(); }
  /// The capacity; the oldest answer is dropped first.
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
