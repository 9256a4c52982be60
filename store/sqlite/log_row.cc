// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/log_row.h"

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/sqlite/database.h"

namespace dray::store::sqlite {
namespace {

static_assert(std::endian::native == std::endian::little, "checksums are over little-endian words");

/// Hashes words into 64 bits with the multiply-and-fold of wyhash, eight bytes a step. Part of the
/// file's format, so a change needs a new schema version.
class Checksum {
 public:
  void Add(uint64_t word) {
    const __uint128_t product = static_cast<__uint128_t>(state_ ^ word) * 0x9E37'79B9'7F4A'7C15;
    state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U) ^ kRound;
  }
  void Add(int64_t number) { Add(static_cast<uint64_t>(number)); }
  void Add(std::string_view bytes) {
    Add(uint64_t{bytes.size()});
    for (; bytes.size() >= sizeof(uint64_t); bytes.remove_prefix(sizeof(uint64_t))) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof(word));
      Add(word);
    }
    uint64_t rest = 0;
    std::memcpy(&rest, bytes.data(), bytes.size());
    Add(rest);
  }
  int64_t value() const { return static_cast<int64_t>(state_); }

 private:
  static constexpr uint64_t kRound = 0xA076'1D64'78BD'642F;
  uint64_t state_ = kRound;
};

enum Column { kPosition, kKey, kCreated, kVersion, kExpiry, kReplaced, kChecksum, kValue };

}  // namespace

int64_t ChecksumOf(const LogRow& row) {
  Checksum sum;
  sum.Add(row.position);
  sum.Add(row.key);
  sum.Add(row.created.value());
  sum.Add(row.version);
  sum.Add(int64_t{row.expiry.has_value()});
  sum.Add(row.expiry.has_value() ? row.expiry->time_since_epoch().count() : 0);
  sum.Add(row.replaced.value());
  sum.Add(int64_t{row.value.has_value()});
  sum.Add(row.value.value_or(""));
  return sum.value();
}

LogRow RowAt(const Statement& statement) {
  LogRow row{.position = statement.Number(kPosition),
             .key = statement.Bytes(kKey),
             .value = std::nullopt,
             .created = Revision{statement.Number(kCreated)},
             .version = statement.Number(kVersion),
             .expiry = std::nullopt,
             .replaced = Revision{statement.Number(kReplaced)}};
  if (!statement.IsNull(kExpiry)) {
    row.expiry = WallTime(std::chrono::nanoseconds(statement.Number(kExpiry)));
  }
  if (!statement.IsNull(kValue)) row.value = statement.Bytes(kValue);
  return row;
}

bool IsIntact(const Statement& statement) {
  const LogRow row = RowAt(statement);
  return ChecksumOf(row) == statement.Number(kChecksum) && !row.key.empty();
}

Result<LogRow> ReadRow(const Statement& statement, const std::string& file) {
  if (IsIntact(statement)) return RowAt(statement);
  const LogRow row = RowAt(statement);
  return Fail(Corrupt(file,
                      fmt::format("the checksum of {} at revision {} is wrong",
                                  row.key.empty() ? "a record" : row.key,
                                  row.revision().value())));
}

Result<RowWriter> RowWriter::Prepare(Database& database) {
  DRAY_TRY(Statement insert,
           database.Prepare(fmt::format(
               "INSERT INTO log ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", kRowColumns)));
  return RowWriter(std::move(insert));
}

Result<> RowWriter::Write(const LogRow& row) {
  constexpr auto kIndex = [](Column column) { return static_cast<int>(column) + 1; };
  insert_.Bind(kIndex(kPosition), row.position)
      .Bind(kIndex(kKey), row.key)
      .Bind(kIndex(kCreated), row.created.value())
      .Bind(kIndex(kVersion), row.version)
      .Bind(kIndex(kReplaced), row.replaced.value())
      .Bind(kIndex(kChecksum), ChecksumOf(row));
  if (row.expiry.has_value()) {
    insert_.Bind(kIndex(kExpiry), int64_t{row.expiry->time_since_epoch().count()});
  } else {
    insert_.BindNull(kIndex(kExpiry));
  }
  if (row.value.has_value()) {
    insert_.Bind(kIndex(kValue), *row.value);
  } else {
    insert_.BindNull(kIndex(kValue));
  }
  return insert_.Run();
}

}  // namespace dray::store::sqlite
