// SPDX-License-Identifier: Apache-2.0
// Counting the cost of an evaluation as upstream does (cel-go interpreter/runtimecost.go and the
// Kubernetes cost table).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cel/check/declarations.h"
#include "cel/eval/value.h"

namespace dray::cel {

/// Counts up to a limit and stops: the evaluation ends when more than the limit was needed.
class Meter {
 public:
  explicit Meter(uint64_t max) : max_(max) {}

  /// One step of `amount`. Nothing is counted after the limit was passed.
  void Charge(uint64_t amount) {
    if (!exceeded()) spent_ += amount;
  }
  /// Several steps of one each.
  void ChargeSteps(uint64_t steps) { Charge(std::min(steps, max_ + 1 - std::min(spent_, max_))); }
  /// Takes back a step of one. Below zero the count wraps, which ends the evaluation.
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
  /// What may still be charged without passing the limit.
  uint64_t left() const { return exceeded() ? 0 : max_ - spent_; }
  uint64_t spent() const { return halted_ ? at_halt_ : spent_; }

 private:
  uint64_t max_;
  uint64_t spent_ = 0;
  uint64_t at_halt_ = 0;
  bool halted_ = false;
};

/// How a function's cost follows from its arguments. "core" rules hold only for calls that the
/// checker left one overload of, and "texts" only for overloads that take strings or bytes; all
/// others cost 1.
enum class CostRule : uint8_t {
  kOne,
  kEquality,       // core: a tenth of the smaller size; 1 for objects
  kDifference,     // core: a tenth of the smaller size
  kOrdering,       // core, texts: the same
  kConcatenation,  // core, texts: a tenth of both
  kText,           // core: a tenth of the text, from string to bytes and back
  kMembership,     // core, lists: the elements
  kAffix,          // a tenth of the argument
  kContains,       // a tenth of the text times a tenth of the argument
  kRegex,          // a tenth of the text times a quarter of the pattern
  kTenth,          // a tenth of the first argument
  kFifth,          // a fifth of the first argument
  kFifthOfResult,
  kTraversal,      // all leaves of the first argument
  kProduct,        // 1 + product of the sizes
  kDoubleProduct,  // 1 + twice the product
  kListResult,     // 11 + elements of the result
  kFlatten,        // 11 + depth times elements
  kQuadratic,      // 11 + twice the square of the elements
  kQuadraticKeys,  // the same of the second argument
  kContainsAddress,
  kContainsAddressText,
  kContainsPrefix,
  kContainsPrefixText,
  kAuthorization,  // asks an authorizer
  kSelectorText,   // parses a label selector
  kValidate,       // a tenth of the text times a quarter of the size of the format's pattern
};

/// `rule` as it holds for calls of `overload`, the only one that the checker left; nullptr if it
/// left several.
CostRule CostOf(CostRule rule, const Overload* overload);

/// The cost of one call; errors among the arguments count as size 1.
uint64_t CallCost(CostRule rule, std::span<const Value> arguments, const Value& result);

}  // namespace dray::cel
