// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/salvage.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "store/store.h"

namespace dray::store::sqlite {
namespace {

constexpr uint8_t kTableLeaf = 0x0D;
/// Size of the file's header, which the first page has before its page header.
constexpr size_t kFileHeaderBytes = 100;
/// The most that a key, a value and some numbers take.
constexpr uint64_t kPayloadMax = kKeyBytesMax + kValueBytesMax + 256;
constexpr size_t kColumns = 8;

/// Reads numbers from untrusted bytes. Reading past the end returns zero and sets the failure.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t at() const { return at_; }

  uint64_t BigEndian(size_t size) {
    uint64_t number = 0;
    for (size_t i = 0; i < size; ++i) number = number << 8U | Next();
    return number;
  }
  int64_t Signed(size_t size) {
    const auto shift = static_cast<unsigned>(8 * (8 - size));
    return static_cast<int64_t>(BigEndian(size) << shift) >> shift;
  }
  uint64_t Varint() {
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i) {
      const uint8_t byte = Next();
      number = number << 7U | (byte & 0x7FU);
      if ((byte & 0x80U) == 0) return number;
    }
    return number << 8U | Next();
  }
  std::string_view Take(uint64_t size) {
    if (size > bytes_.size() - at_) ok_ = false;
    if (!ok_) return {};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  uint8_t Next() {
    if (at_ >= bytes_.size()) ok_ = false;
    return ok_ ? static_cast<uint8_t>(bytes_[at_++]) : 0;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

/// The number of payload bytes that are stored on the leaf.
uint64_t LocalBytes(uint64_t payload, uint64_t usable) {
  const uint64_t most = usable - 35;
  if (payload <= most) return payload;
  const uint64_t least = (usable - 12) * 32 / 255 - 23;
  const uint64_t filled = least + (payload - least) % (usable - 4);
  return filled <= most ? filled : least;
}

/// Collects the payload of a cell from all its pages; nothing if a part of it is missing.
std::optional<std::string> PayloadOf(Cursor& cell,
                                     uint64_t size,
                                     uint64_t usable,
                                     const PageLookup& lookup) {
  if (size > kPayloadMax) return std::nullopt;
  const uint64_t local = LocalBytes(size, usable);
  std::string payload(cell.Take(local));
  if (!cell.ok()) return std::nullopt;
  if (local == size) return payload;
  auto next = static_cast<uint32_t>(cell.BigEndian(4));
  while (payload.size() < size) {
    Cursor page(lookup(next));
    next = static_cast<uint32_t>(page.BigEndian(4));
    payload += page.Take(std::min<uint64_t>(usable - 4, size - payload.size()));
    if (!page.ok()) return std::nullopt;
  }
  return payload;
}

/// One column: a number, bytes, or nothing.
struct Field {
  bool is_null = true;
  int64_t number = 0;
  std::optional<std::string_view> bytes = {};
};

Field FieldOf(Cursor& body, uint64_t type) {
  constexpr std::array<size_t, 7> kNumberBytes = {0, 1, 2, 3, 4, 6, 8};
  if (type >= 12) return {.is_null = false, .bytes = body.Take((type - 12) / 2)};
  if (type == 8 || type == 9) return {.is_null = false, .number = static_cast<int64_t>(type - 8)};
  if (type == 0 || type >= kNumberBytes.size()) return {};
  return {.is_null = false, .number = body.Signed(kNumberBytes[type])};
}

/// The row of a payload, if its form and its checksum are right. Columns as in kTables of
/// schema.cc.
std::optional<SavedRow> RowOf(std::string_view payload, int64_t position) {
  Cursor header(payload);
  const uint64_t header_bytes = header.Varint();
  if (!header.ok() || header_bytes > payload.size()) return std::nullopt;
  Cursor body(payload.substr(header_bytes));
  std::array<Field, kColumns> fields;
  for (Field& field : fields) field = FieldOf(body, header.Varint());
  if (!body.ok() || !header.ok() || header.at() != header_bytes) return std::nullopt;
  const auto& [rowid, key, created, version, expiry, replaced, checksum, value] = fields;
  if (!rowid.is_null || !key.bytes.has_value() || key.bytes->empty()) return std::nullopt;
  LogRow row{.position = position,
             .key = *key.bytes,
             .value = value.bytes,
             .created = Revision{created.number},
             .version = version.number,
             .expiry = std::nullopt,
             .replaced = Revision{replaced.number}};
  if (!expiry.is_null) row.expiry = WallTime(std::chrono::nanoseconds(expiry.number));
  if (ChecksumOf(row) != checksum.number) return std::nullopt;
  SavedRow saved{.key = std::string(row.key), .value = std::nullopt, .fields = row};
  if (row.value.has_value()) saved.value.emplace(*row.value);
  saved.fields.key = {};
  saved.fields.value.reset();
  return saved;
}

}  // namespace

LogRow SavedRow::row() const {
  LogRow row = fields;
  row.key = key;
  if (value.has_value()) row.value = *value;
  return row;
}

void SalvagePage(std::string_view page,
                 uint32_t number,
                 Revision after,
                 const PageLookup& lookup,
                 SavedRows& rows) {
  const size_t begin = number == 1 ? kFileHeaderBytes : 0;
  if (page.size() < begin + 8 || static_cast<uint8_t>(page[begin]) != kTableLeaf) return;
  Cursor header(page.substr(begin + 3));
  const uint64_t cells = header.BigEndian(2);
  Cursor places(page.substr(begin + 8));
  for (uint64_t i = 0; i < cells; ++i) {
    const uint64_t place = places.BigEndian(2);
    if (!places.ok()) return;
    if (place < begin + 8 || place >= page.size()) continue;
    Cursor cell(page.substr(place));
    const uint64_t size = cell.Varint();
    const auto position = static_cast<int64_t>(cell.Varint());
    if (!cell.ok() || position <= LastPosition(after) || rows.contains(position)) continue;
    const std::optional<std::string> payload = PayloadOf(cell, size, page.size(), lookup);
    if (!payload.has_value()) continue;
    std::optional<SavedRow> row = RowOf(*payload, position);
    if (row.has_value()) rows.emplace(position, *std::move(row));
  }
}

}  // namespace dray::store::sqlite
