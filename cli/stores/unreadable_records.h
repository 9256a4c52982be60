// SPDX-License-Identifier: Apache-2.0
// What `dray store verify` says about records that no server can read.
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
  /// As many are named; all are counted.
  static constexpr size_t kNamedMax = 100;

  void Check(std::string_view key, std::string_view value);
  uint64_t count() const { return count_; }
  /// Lines that name kind, namespace, name and reason, and say what to do.
  void AddTo(Facts& facts) const;

 private:
  server::storage::RecordReader reader_;
  std::vector<std::string> texts_;
  uint64_t count_ = 0;
};

}  // namespace dray::cli::inline stores
