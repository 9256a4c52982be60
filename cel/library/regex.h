// SPDX-License-Identifier: Apache-2.0
// matches, find and findAll, with patterns compiled once where they are constant.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <re2/re2.h>

#include "base/result.h"
#include "cel/value/arena.h"

namespace dray::cel::library {

bool IsRegexFunction(std::string_view function);

/// Compiles a pattern in the syntax of Go's regexp package. The result may be used by many threads.
///
/// Errors: kInvalid  "error parsing regexp: …" in the words of RE2.
Result<std::shared_ptr<const RE2>> CompileRegex(std::string_view pattern);

/// Calls matches, find or findAll with a compiled pattern in place of arguments[1].
Value ApplyRegex(std::string_view function,
                 const RE2& pattern,
                 Arena& arena,
                 std::span<const Value> arguments);

}  // namespace dray::cel::library
