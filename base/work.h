// SPDX-License-Identifier: Apache-2.0
// A budget of work that one request or one attempt may take, however the work is divided.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dray {

/// Counts work down from a maximum. A unit takes about a nanosecond of an optimised program
/// (bench/work.cc measures it); what is counted follows from the input alone, so the same input is
/// refused on every machine. Not for use by two threads at once.
class Work {
 public:
  /// More than any computer does.
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  explicit Work(uint64_t max) : max_(max), left_(max) {}

  /// Counts `units`. Once nothing is left, more is counted as nothing.
  void Charge(uint64_t units) { left_ = units < left_ ? left_ - units : 0; }
  /// The caller has done all it may, and stops.
  bool is_spent() const { return left_ == 0; }
  uint64_t left() const { return left_; }
  uint64_t spent() const { return max_ - left_; }

 private:
  uint64_t max_;
  uint64_t left_;
};

/// Of copying, comparing or searching so many bytes in blocks.
constexpr uint64_t WorkOfBytes(size_t bytes) {
  return 1 + bytes / 16;
}
/// Of reading so many bytes one by one.
constexpr uint64_t WorkOfReading(size_t bytes) {
  return 1 + bytes;
}
/// Of visiting so many elements of a list.
constexpr uint64_t WorkOfItems(size_t items) {
  return 1 + 4 * uint64_t{items};
}

}  // namespace dray
