// SPDX-License-Identifier: Apache-2.0
// matches, find and findAll, with patterns compiled once where they are constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <re2/re2.h>

#include "base/result.h"
#include "cel/value/arena.h"

namespace dray::cel::library {

bool IsRegexFunction(std::string_view function);

/// Instructions that the constant patterns of one expression may compile to together. One takes 16
/// bytes and about a quarter of a microsecond; "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" has 250,
/// "\\pL{90}" 107 000.
inline constexpr size_t kExpressionPatternsMax = 131'072;
/// Bytes of a pattern.
inline constexpr size_t kPatternBytesMax = 10'240;
/// What matching one text may take, in units of Work: a pattern of 500 instructions and 256 KiB of
/// text. Nothing ends such a call before its time, which is a second at the worst.
inline constexpr uint64_t kMatchWorkMax = uint64_t{1} << 25U;
/// Groups that capture, inside each other: Go refuses syntax trees that are higher than a thousand.
inline constexpr size_t kPatternGroupsMax = 999;

/// Compiles a pattern in the syntax of Go's regexp package. The result may be used by many threads.
/// `left`: how many instructions may still be compiled; those of the pattern are taken away. Time
/// and memory are linear in the pattern and `left`.
///
/// Errors: kInvalid  "error parsing regexp: …" in the words of RE2; also for a pattern that is too
///                   large for what is left, and then nothing is left.
Result<std::shared_ptr<const RE2>> CompileRegex(std::string_view pattern, size_t& left);

/// Calls matches, find or findAll with a compiled pattern in place of arguments[1].
Value ApplyRegex(std::string_view function,
                 const RE2& pattern,
                 Arena& arena,
                 std::span<const Value> arguments);

}  // namespace dray::cel::library
