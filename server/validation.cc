// SPDX-License-Identifier: Apache-2.0
#include "server/validation.h"

#include <algorithm>
#include <ranges>

namespace dray::server {

const KindRules& RuleBook::Of(const api::KindInfo& kind) const {
  static const KindRules kNone;
  const auto newest_first = std::views::reverse(entries_);
  const auto found = std::ranges::find_if(newest_first, [&](const Entry& entry) {
    return entry.kind == kind.kind && entry.group == kind.group;
  });
  return found == newest_first.end() ? kNone : found->rules;
}

}  // namespace dray::server
