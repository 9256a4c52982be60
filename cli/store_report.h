// SPDX-License-Identifier: Apache-2.0
// Named facts about a store, for people and for programs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/allocate.h"

namespace dray::cli {

/// Keeps the order in which facts are added.
class StoreReport {
 public:
  /// `label` stands in the table, `member` in JSON. What has no label is only in JSON, and the
  /// reverse.
  void AddText(std::string_view label, std::string_view member, std::string_view text);
  void AddNumber(std::string_view label, std::string_view member, int64_t number);
  /// "12.3 MiB" in the table, the number in JSON.
  void AddBytes(std::string_view label, std::string_view member, uint64_t bytes);
  void AddFlag(std::string_view member, bool is_set);
  /// One line each in the table.
  void AddTexts(std::string_view label,
                std::string_view member,
                const std::vector<std::string>& texts);

  void Print(OutputFormat format, std::FILE* out) const;

 private:
  struct Fact {
    std::string label, member;
    std::string text;  // as in the table
    std::string json;
  };
  std::vector<Fact> facts_;
};

/// "0 B", "3.4 KiB", "12.0 MiB".
std::string BytesText(uint64_t bytes);

}  // namespace dray::cli
