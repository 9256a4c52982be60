// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/unreadable_records.h"

#include <optional>

namespace dray::cli::inline stores {

void UnreadableRecords::Check(std::string_view key, std::string_view value) {
  const std::optional<server::storage::UnreadableRecord> found = reader_.Check(key, value);
  if (!found.has_value()) return;
  if (++count_ <= kNamedMax) texts_.push_back(server::storage::TextOf(*found));
}

void UnreadableRecords::AddTo(Facts& facts) const {
  facts.AddTexts("unreadable", "unreadable", texts_);
  if (count_ == 0) return;
  facts.AddNumber("", "unreadableCount", static_cast<int64_t>(count_));
  facts.AddText("what to do",
                "",
                "DELETE what is unreadable with "
                "ignoreStoreReadErrorWithClusterBreakingPotential=true, or restore a backup");
}

}  // namespace dray::cli::inline stores
