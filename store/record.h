// SPDX-License-Identifier: Apache-2.0
// The contents of the store: opaque immutable values, and records with the revisions of each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/text/with_tail.h"
#include "base/world.h"

namespace dray::store {

/// An immutable value whose durable form is made on demand. The store does not interpret it: layers
/// above subclass it to carry a decoded object together with its encodings. A store in memory never
/// asks for bytes(); a durable one asks once per commit.
///
/// All functions may be called from any thread at the same time, and always return the same.
class Value {
 public:
  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  virtual ~Value() = default;

  /// The durable form. O(size).
  virtual std::string bytes() const = 0;

  /// The value's size in bytes for the store's limits: the size of bytes(), or a fixed estimate
  /// that is known without encoding (a durable store checks the real size as well).
  virtual size_t size() const { return bytes().size(); }

  /// What the value keeps of memory beside a constant, which may be less than its size.
  virtual size_t held_bytes() const { return size(); }

  /// Checks that this value can be read back from bytes(). Durable stores call it before they
  /// commit the value, and refuse the commit on an error. O(size). Errors: kInternalError  it
  /// cannot be read back; the message has the reason.
  virtual Result<> CheckDurable() const { return {}; }
};

/// A value that has only its bytes, which follow it in the same allocation; see MakeBytes.
class BytesValue final : public Value {
 public:
  explicit BytesValue(size_t size) : size_(size) {}
  std::string bytes() const override { return {TailOf(this), size_}; }
  size_t size() const override { return size_; }

 private:
  const size_t size_;
};

inline Frozen<Value> MakeBytes(std::string_view bytes) {
  return MakeWithTail<BytesValue>(bytes, bytes.size());
}

/// Makes the value of a key that the store reads back from a disk or a cluster. `bytes` are what
/// Value::bytes() returned when the key was written. They are valid only during the call.
using ReadValue = std::function<Frozen<Value>(std::string_view key, std::string_view bytes)>;

/// A ReadValue that does not depend on the key.
inline Frozen<Value> ReadAsBytes(std::string_view /*key*/, std::string_view bytes) {
  return MakeBytes(bytes);
}

/// The fields of a record; the arguments of MakeRecord.
struct RecordFields {
  std::string_view key{};
  Frozen<Value> value{};  // never null
  Revision created{};     // the commit that created the key; earlier records before a deletion do
                          // not count
  Revision modified{};    // the commit that wrote this value; compare with it to update
  int64_t version = 1;    // puts since `created`, that one included
  std::optional<WallTime> expiry{};  // when ExpireDue deletes the record; none: never
};

/// One key at one revision: what etcd calls a KeyValue. Made by MakeRecord, and immutable.
///
/// Stores hold one for each live key and two for each event, so a record is small. The key follows
/// it in the same allocation, and the expiry, if there is one, follows the key. A record takes 64
/// bytes, including the reference counts, and the bytes of its key.
class Record {
 public:
  explicit Record(RecordFields&& fields)
      : value(std::move(fields.value)),
        created(fields.created),
        modified(fields.modified),
        key_size_(static_cast<uint16_t>(fields.key.size())),
        expires_(fields.expiry.has_value()),
        version_(fields.version) {
    if (!fields.key.empty()) std::memcpy(TailOf(this), fields.key.data(), fields.key.size());
    if (fields.expiry.has_value()) {
      std::memcpy(TailOf(this) + key_size_, &*fields.expiry, sizeof(WallTime));
    }
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() = default;

  const Frozen<Value> value;
  const Revision created;
  const Revision modified;

  std::string_view key() const { return {TailOf(this), key_size_}; }
  int64_t version() const { return version_; }
  std::optional<WallTime> expiry() const {
    if (expires_ == 0) return std::nullopt;
    WallTime expiry;
    std::memcpy(&expiry, TailOf(this) + key_size_, sizeof(WallTime));
    return expiry;
  }
  /// Valid while the record is held.
  RecordFields fields() const {
    return {.key = key(),
            .value = value,
            .created = created,
            .modified = modified,
            .version = version(),
            .expiry = expiry()};
  }

 private:
  const uint64_t key_size_ : 16;
  const uint64_t expires_ : 1;
  const int64_t version_ : 47;
};

/// Precondition: `value` is not null, and the key has at most 65535 bytes.
inline Frozen<Record> MakeRecord(RecordFields fields) {
  DRAY_CHECK(fields.key.size() <= std::numeric_limits<uint16_t>::max());
  const size_t tail = fields.key.size() + (fields.expiry.has_value() ? sizeof(WallTime) : 0);
  return MakeWithTailRoom<Record>(tail, std::move(fields));
}

}  // namespace dray::store
