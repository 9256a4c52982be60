// SPDX-License-Identifier: Apache-2.0
// The path of a field for rules: "spec.devices[3].attributes[model]". Every check makes a path, but
// only errors format it, so a path is a chain of pointers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::api::validation {

/// A field of an object. It points at its parent and at the names given: all must outlive it, which
/// is why no path can be made from a temporary one.
class Path {
 public:
  /// `name` may hold dots ("spec.devices"). An empty name is the object itself.
  explicit Path(std::string_view name) : name_(name) {}

  Path Child(std::string_view name) const& { return {*this, name, Kind::kName, 0}; }
  Path Index(size_t index) const& { return {*this, {}, Kind::kIndex, index}; }
  /// Which end of a shortened key gets the odd byte: none, or the first.
  enum class KeyEnds : unsigned char { kAlike, kFrontLonger };
  /// An entry of a map. With `max` > 0 a longer key is shown by its first and last `max` / 2 bytes.
  Path Key(std::string_view key, size_t max = 0, KeyEnds ends = KeyEnds::kAlike) const& {
    return {*this, key, ends == KeyEnds::kAlike ? Kind::kKey : Kind::kKeyFrontLonger, max};
  }
  Path Child(std::string_view name) const&& = delete;
  Path Index(size_t index) const&& = delete;
  Path Key(std::string_view key, size_t max = 0, KeyEnds ends = KeyEnds::kAlike) const&& = delete;

  /// The path as clients write it, each name cut after kShownMax bytes. Cost is linear in its
  /// length.
  std::string ToString() const;

 private:
  enum class Kind : unsigned char { kName, kIndex, kKey, kKeyFrontLonger };
  Path(const Path& parent, std::string_view name, Kind kind, size_t number)
      : parent_(&parent), name_(name), kind_(kind), number_(number) {}
  void AppendTo(std::string& out) const;

  const Path* parent_ = nullptr;
  std::string_view name_;
  Kind kind_ = Kind::kName;
  size_t number_ = 0;  // the index, or the most of a key that is shown
};

}  // namespace dray::api::validation
