// SPDX-License-Identifier: Apache-2.0
// What the store keeps: opaque immutable values, and the records that say which revision made them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/published.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store {

/// An immutable value whose durable form is made on demand. The store never looks inside: layers
/// above subclass it to carry a decoded object together with its encodings. A store in memory never
/// asks for bytes(); a durable one asks once per commit.
///
/// All functions may be called from any thread at the same time, and always answer the same.
class Value {
 public:
  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  virtual ~Value() = default;

  /// The durable form; valid while the value is held.
  virtual std::string_view bytes() const = 0;

  /// What the value counts against limits, in bytes: the size of bytes(), or a fixed estimate that
  /// is known without encoding (a durable store checks the real size as well).
  virtual size_t size() const { return bytes().size(); }
};

/// A value that is nothing but its bytes.
class BytesValue final : public Value {
 public:
  explicit BytesValue(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  const std::string bytes_;
};

/// One key at one revision: what etcd calls a KeyValue.
struct Record {
  std::string key;
  Frozen<Value> value;  // never null
  Revision created{};   // the commit that made the key appear; older lives do not count
  Revision modified{};  // the commit that wrote this value; compare with it to update
  int64_t version = 1;  // puts since `created`, that one included
  std::optional<WallTime> expiry{};  // when ExpireDue deletes it; never without
};

}  // namespace dray::store
