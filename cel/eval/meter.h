// SPDX-License-Identifier: Apache-2.0
// Counts what an evaluation costs, up to its limit (cel-go, interpreter/runtimecost.go).
#pragma once

#include <algorithm>
#include <cstdint>

namespace dray::cel::eval {

/// What the nodes of a tree cost that are no calls.
inline constexpr uint64_t kListCost = 10;
inline constexpr uint64_t kMapCost = 30;
inline constexpr uint64_t kMessageCost = 40;

/// What a node, and one of many parts of one, takes in units of Work, besides what functions
/// charge.
inline constexpr uint64_t kWorkOfNode = 16;
inline constexpr uint64_t kWorkOfTerm = 4;

/// Counts up to a limit. The evaluation ends when it needs more.
class Meter {
 public:
  explicit Meter(uint64_t max) : max_(max) {}

  /// Adds `amount` in one step. Counts nothing once the limit is exceeded.
  void Charge(uint64_t amount) {
    if (!exceeded()) spent_ += amount;
  }
  /// Adds 1 several times.
  void ChargeSteps(uint64_t steps) { Charge(std::min(steps, max_ + 1 - std::min(spent_, max_))); }
  /// Subtracts 1. Below zero the count wraps around, as upstream's does, and that ends the
  /// evaluation.
  void TakeBack() {
    if (!exceeded()) --spent_;
  }
  /// Counts nothing more.
  void Halt() {
    at_halt_ = spent();
    halted_ = true;
    spent_ = UINT64_MAX;
    max_ = 0;
  }
  bool exceeded() const { return spent_ > max_; }
  bool halted() const { return halted_; }
  /// How much may still be charged within the limit.
  uint64_t left() const { return exceeded() ? 0 : max_ - spent_; }
  uint64_t spent() const { return halted_ ? at_halt_ : spent_; }

 private:
  uint64_t max_;
  uint64_t spent_ = 0;
  uint64_t at_halt_ = 0;
  bool halted_ = false;
};

}  // namespace dray::cel::eval
