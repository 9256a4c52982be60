// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/patterns.h"

#include "cel/library/regex.h"

namespace dray::custom::definitions {

std::string_view Patterns::Problem(std::string_view pattern) {
  const auto known = problems_.find(pattern);
  if (known != problems_.end()) return known->second;
  const auto compiled = cel::library::CompileRegex(pattern, left_);
  return problems_.emplace(pattern, compiled.has_value() ? "" : compiled.error().message)
      .first->second;
}

}  // namespace dray::custom::definitions
