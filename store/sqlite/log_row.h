// SPDX-License-Identifier: Apache-2.0
// One row of the log: one change of one key. Rows are never updated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace dray::store::sqlite {

/// A row's place: its revision and its ordinal within it, as one ascending number, so that writing
/// a commit appends to the end of one B-tree.
inline constexpr int kOrdinalBits = 10;
static_assert(kTxnOperationsMax <= size_t{1} << kOrdinalBits);

constexpr int64_t FirstPosition(Revision revision) {
  return revision.value() << kOrdinalBits;
}
constexpr int64_t LastPosition(Revision revision) {
  return FirstPosition(revision) | ((int64_t{1} << kOrdinalBits) - 1);
}

struct LogRow {
  int64_t position = 0;
  std::string_view key;
  /// Absent if the key was deleted.
  std::optional<std::string_view> value;
  Revision created{};
  int64_t version = 0;
  std::optional<WallTime> expiry;
  /// The revision of the record that this one replaces or deletes; 0 if the key was absent.
  Revision replaced{};

  Revision revision() const { return Revision{position >> kOrdinalBits}; }
  int64_t ordinal() const { return position & ((int64_t{1} << kOrdinalBits) - 1); }
};

/// The checksum over all fields, so that a flipped bit in any of them is found. Part of the file's
/// format.
int64_t ChecksumOf(const LogRow& row);

/// The columns ReadRow expects, in its order. The value comes last, so that the other columns can
/// be read without the value's overflow pages.
inline constexpr std::string_view kRowColumns =
    "position, key, created, version, expiry, replaced, checksum, value";

/// Returns the current row of `statement` without checking it. Its texts are valid until the next
/// step.
LogRow RowAt(const Statement& statement);
/// Whether the checksum of the current row of `statement` is right.
bool IsIntact(const Statement& statement);

/// Returns the current row of `statement`. Its texts are valid until the next step.
///
/// Errors: kInternalError  the row is damaged.
Result<LogRow> ReadRow(const Statement& statement, const std::string& file);

/// Writes rows.
class RowWriter {
 public:
  static Result<RowWriter> Prepare(Database& database);
  /// Writes one row. Its texts need to live only during the call.
  Result<> Write(const LogRow& row);

 private:
  explicit RowWriter(Statement insert) : insert_(std::move(insert)) {}
  Statement insert_;
};

}  // namespace dray::store::sqlite
