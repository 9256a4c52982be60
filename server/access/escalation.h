// SPDX-License-Identifier: Apache-2.0
// The check against privilege escalation before a role is written or bound: finds rights in it that
// the user does not have. Pure.
//
// A rule stands for all combinations of its verbs, groups, resources and names. It is covered if
// each combination is covered by any held rule. The check does not enumerate the combinations:
// words that occur in the same held rules count as one word, and a part of the rule that one held
// rule covers completely, or that no held rule mentions, is decided at once. kEscalationStepsMax
// bounds the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "server/access/rule_index.h"
#include "server/access/user.h"

namespace dray::server::access {

/// Limit of the steps (of 32 held rules and one word or part of a wanted rule) of a check: some
/// tens of milliseconds.
inline constexpr size_t kEscalationStepsMax = size_t{4} << 20;
/// Default limit of the combinations that a refusal names.
inline constexpr size_t kMissingShownMax = 1000;

using Held = std::vector<std::shared_ptr<const RuleIndex>>;

struct Missing {
  /// The first combinations that are not held, each with one word in each list.
  Rules shown = {};
  bool has_more = false;
  /// The check needed too many steps; the result is unknown.
  bool is_undecided = false;

  bool empty() const { return shown.empty() && !has_more && !is_undecided; }
};

/// The rules of `wanted` that no rule of `held` covers; names at most `shown_max` combinations.
/// O(kEscalationStepsMax + text of `wanted`).
Missing Uncovered(const Held& held, const RuleIndex& wanted, size_t shown_max = kMissingShownMax);

/// Why `user`, who does not have `missing`, may not grant it: in upstream's words, as far as they
/// go.
std::string EscalationText(const User& user, const Missing& missing);

}  // namespace dray::server::access
