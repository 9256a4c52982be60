// SPDX-License-Identifier: Apache-2.0
#include "server/registry/validation.h"

#include <algorithm>
#include <ranges>

namespace dray::server::registry {

const KindRules& RuleBook::Of(const api::KindInfo& kind) const {
  static const KindRules kNone;
  const auto newest_first = std::views::reverse(entries_);
  const auto found = std::ranges::find(newest_first, &kind, &Entry::kind);
  return found == newest_first.end() ? kNone : found->rules;
}

}  // namespace dray::server::registry
