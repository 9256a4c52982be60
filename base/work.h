// SPDX-License-Identifier: Apache-2.0
// A budget of work for one request or one attempt, across all its parts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dray {

/// Counts work down from a maximum. A unit takes about a nanosecond of an optimised program
/// (bench/work.cc measures it). The count depends on the input alone, so the same input is refused
/// on every machine. Not thread-safe.
class Work {
 public:
  /// More than any computer can do.
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  explicit Work(uint64_t max) : max_(max), left_(max) {}

  /// Subtracts `units`, down to zero.
  void Charge(uint64_t units) { left_ = units < left_ ? left_ - units : 0; }
  /// The budget is used up; the caller must stop.
  bool is_spent() const { return left_ == 0; }
  uint64_t left() const { return left_; }
  uint64_t spent() const { return max_ - left_; }

 private:
  uint64_t max_;
  uint64_t left_;
};

/// The work of copying, comparing or searching `bytes` bytes in blocks.
constexpr uint64_t WorkOfBytes(size_t bytes) {
  return 1 + bytes / 16;
}
/// The work of reading `bytes` bytes one by one.
constexpr uint64_t WorkOfReading(size_t bytes) {
  return 1 + bytes;
}
/// The work of visiting `items` elements of a list.
constexpr uint64_t WorkOfItems(size_t items) {
  return 1 + 4 * uint64_t{items};
}

}  // namespace dray
