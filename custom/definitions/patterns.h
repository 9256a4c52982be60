// SPDX-License-Identifier: Apache-2.0
// Regular expressions of one definition: whether they compile, within a budget for all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dray::custom::definitions {

/// Instructions that the patterns of one definition may compile to together: a thousand usual ones,
/// or a second for patterns that are made to be large. Equal patterns count once; one may take as
/// much as one of an expression.
inline constexpr size_t kPatternInstructionsMax = size_t{1} << 18U;

class Patterns {
 public:
  /// Why the pattern is none in Go's syntax ("error parsing regexp: …"), or too large for the rest
  /// of the budget; empty for a good one. Valid until the Patterns end.
  std::string_view Problem(std::string_view pattern);

 private:
  size_t left_ = kPatternInstructionsMax;
  std::map<std::string, std::string, std::less<>> problems_;  // of each pattern seen
};

}  // namespace dray::custom::definitions
