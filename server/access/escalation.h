// SPDX-License-Identifier: Apache-2.0
// What somebody would give away that he does not hold: the check before a role is written or bound.
// Pure.
//
// A rule stands for all combinations of its verbs, groups, resources and names, and is held when
// each of them is, by whatever rule. The combinations are never written down: words that the same
// held rules speak of are one, and a part of the rule that one held rule covers, or none speaks of,
// is decided at once. What is left is bounded by kEscalationStepsMax.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "server/access/rule_index.h"
#include "server/access/user.h"

namespace dray::server::access {

/// Steps (of 32 held rules and one word or part of a rule that is wanted) that a check takes before
/// it gives up: some tens of milliseconds.
inline constexpr size_t kEscalationStepsMax = size_t{4} << 20;
/// Combinations that a refusal names, if nothing else is said.
inline constexpr size_t kMissingShownMax = 1000;

using Held = std::vector<std::shared_ptr<const RuleIndex>>;

struct Missing {
  /// Combinations that are not held, the first of them, each of one word a list.
  Rules shown = {};
  bool has_more = false;
  /// The check took too many steps; nothing is known.
  bool is_undecided = false;

  bool empty() const { return shown.empty() && !has_more && !is_undecided; }
};

/// What of `wanted` no rule of `held` covers; at most `shown_max` combinations of it are named.
/// O(kEscalationStepsMax + text of `wanted`).
Missing Uncovered(const Held& held, const RuleIndex& wanted, size_t shown_max = kMissingShownMax);

/// Why `user`, who does not hold `missing`, may not give it to others: in upstream's words, as far
/// as they go.
std::string EscalationText(const User& user, const Missing& missing);

}  // namespace dray::server::access
