// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/patterns.h"

#include <algorithm>

#include "cel/library/regex.h"

namespace dray::custom::definitions {

std::string_view Patterns::Problem(std::string_view pattern) {
  const auto known = problems_.find(pattern);
  if (known != problems_.end()) return known->second;
  const size_t before = std::min(left_, cel::library::kExpressionPatternsMax);
  size_t left = before;
  const auto compiled = cel::library::CompileRegex(pattern, left);
  left_ -= before - left;
  return problems_.emplace(pattern, compiled.has_value() ? "" : compiled.error().message)
      .first->second;
}

}  // namespace dray::custom::definitions
