// SPDX-License-Identifier: Apache-2.0
// ExpressionChecker: how validation compiles CEL expressions. CEL is a layer above this one, so the
// program implements this interface with it and passes it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "api/validation/origin.h"

namespace dray::api::validation {

/// Longest CEL expression of a selector or derived attribute, in bytes.
inline constexpr size_t kExpressionBytesMax = 10240;
/// The highest sum of the estimates of all derived attributes of a claim
/// (DeviceClaimDerivedAttributeCELMaxCost).
inline constexpr uint64_t kDerivedAttributesCostMax = 1'000'000;

/// The use of an expression. It determines the variables and the result type.
enum class ExpressionRole : uint8_t {
  kSelector,
  kDerivedAttribute,
  kNamedResources,  // a selector of the classic generation
};

struct Expression {
  std::string_view text;  // of at most kExpressionBytesMax
  ExpressionRole role = ExpressionRole::kSelector;
  /// Stored expressions may use features that new ones may not.
  Origin origin = Origin::kNew;
  /// If not null, the cost of compiling the constant patterns is added: instructions
  /// (cel/library/regex.h). The same whether the expression is cached or not.
  size_t* patterns = nullptr;
};

/// Why an expression is refused.
struct ExpressionProblem {
  enum class Kind : uint8_t {
    kInvalid,    // does not compile, or has a result of the wrong type
    kTooCostly,  // its estimated cost is over the limit; `detail` is not used
    kInternal,   // the compiler failed
  };
  Kind kind = Kind::kInvalid;
  std::string detail = {};
  uint64_t cost = 0;  // the estimate, of kTooCostly
};

/// Compiles expressions. Called from any thread.
class ExpressionChecker {
 public:
  virtual ~ExpressionChecker() = default;
  /// The estimated highest cost of evaluating `expression`; 0 in releases without estimates. On
  /// failure, the problem of the expression.
  virtual std::expected<uint64_t, ExpressionProblem> Check(const Expression& expression) const = 0;
};

}  // namespace dray::api::validation
