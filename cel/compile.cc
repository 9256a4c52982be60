// SPDX-License-Identifier: Apache-2.0
#include "cel/compile.h"

#include <utility>

#include <fmt/format.h>

#include "cel/syntax/limits.h"

namespace dray::cel {

Result<Frozen<Program>> Compile(std::string_view expression, const Environment& environment) {
  if (expression.size() > kExpressionBytesMax) {
    return Fail(
        StatusReason::kInvalid,
        fmt::format(
            "expression has {} bytes, the limit is {}", expression.size(), kExpressionBytesMax));
  }
  auto program = Program::Compile(expression, environment);
  if (program.has_value()) return *std::move(program);
  const StatusReason reason =
      program.error().is_internal() ? StatusReason::kInternalError : StatusReason::kInvalid;
  return Fail(reason, std::move(program).error().message);
}

}  // namespace dray::cel
