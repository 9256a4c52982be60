// SPDX-License-Identifier: Apache-2.0
#include "server/validation.h"

#include <algorithm>

namespace dray::server {

const KindRules& RuleBook::Of(const api::KindInfo& kind) const {
  static const KindRules kNone;
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.kind == kind.kind && entry.group == kind.group;
  });
  return found == entries_.rend() ? kNone : found->rules;
}

}  // namespace dray::server
