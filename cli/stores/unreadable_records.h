// SPDX-License-Identifier: Apache-2.0
// Collects records that no server can read, for `dray store verify`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/output.h"
#include "server/storage/unreadable.h"

namespace dray::cli::inline stores {

class UnreadableRecords {
 public:
  /// The most that are named; all are counted.
  static constexpr size_t kNamedMax = 100;

  void Check(std::string_view key, std::string_view value);
  uint64_t count() const { return count_; }
  /// Adds lines with kind, namespace, name, reason and remedy.
  void AddTo(Facts& facts) const;

 private:
  server::storage::RecordReader reader_;
  std::vector<std::string> texts_;
  uint64_t count_ = 0;
};

}  // namespace dray::cli::inline stores
