// SPDX-License-Identifier: Apache-2.0
// What one call of a function costs when it is evaluated (cel-go, interpreter/runtimecost.go, and
// the cost table of Kubernetes).
#pragma once

#include <cstdint>
#include <span>

#include "cel/check/declarations.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// How a function's cost follows from its arguments. Rules marked "core" apply only to calls for
/// which the checker found one overload, those marked "texts" only to overloads that take strings
/// or bytes; all other calls cost 1.
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

/// The rule that applies to calls of `overload`, the only one that the checker found; nullptr if
/// there are several.
CostRule CostOf(CostRule rule, const check::Overload* overload);

/// The cost of one call; errors among the arguments count as size 1.
uint64_t CallCost(CostRule rule, std::span<const Value> arguments, const Value& result);

/// What working out that cost takes, in units of Work.
uint64_t WorkOfCallCost(CostRule rule, std::span<const Value> arguments);

}  // namespace dray::cel::library
