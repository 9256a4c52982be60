// SPDX-License-Identifier: Apache-2.0
// The door to CEL, which stands above this layer: whoever builds the server hands in something that
// can compile expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::api::validation {

/// Longest CEL expression of a selector or derived attribute, in bytes.
inline constexpr size_t kExpressionBytesMax = 10240;

/// Why an expression is refused.
struct SelectorProblem {
  enum class Kind : uint8_t {
    kInvalid,    // does not compile, or is no condition
    kTooCostly,  // its estimated cost is over the limit; `detail` is not used
    kInternal,   // the compiler failed
  };
  Kind kind = Kind::kInvalid;
  std::string detail = {};
};

/// Compiles device selectors. Called from any thread.
class SelectorChecker {
 public:
  virtual ~SelectorChecker() = default;
  /// What is wrong with `expression`, of at most kExpressionBytesMax; nothing when it is good.
  virtual std::optional<SelectorProblem> Check(std::string_view expression) const = 0;
};

}  // namespace dray::api::validation
