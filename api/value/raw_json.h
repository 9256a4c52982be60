// SPDX-License-Identifier: Apache-2.0
// RawJson: JSON that the server stores without interpreting it, such as the parameters of a driver
// (runtime.RawExtension).
#pragma once

#include <string>
#include <utility>

namespace dray::api::inline value {

/// One JSON value as the bytes received; empty when absent. The reader of the document ensures that
/// the bytes are JSON. Equal means the same bytes.
class RawJson {
 public:
  RawJson() = default;
  explicit RawJson(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& bytes() const { return bytes_; }
  bool IsEmpty() const { return bytes_.empty(); }
  /// Whether there is no value: no bytes, or null.
  bool IsNull() const { return IsEmpty() || bytes_ == "null"; }
  /// The bytes as they are written: without blanks between the tokens, and `<`, `>`, `&`, U+2028
  /// and U+2029 escaped; "null" when empty.
  std::string compact() const;
  /// Whether compact() is bytes().
  bool is_compact() const;

  bool operator==(const RawJson&) const = default;

 private:
  std::string bytes_;
};

/// The same for places where any value is allowed, not only objects: the defaults in a schema.
class AnyJson : public RawJson {
 public:
  using RawJson::RawJson;
};

}  // namespace dray::api::inline value
