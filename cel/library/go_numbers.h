// SPDX-License-Identifier: Apache-2.0
// Numbers as texts, read and written as Go's strconv and fmt do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::cel::library {

/// Decimal with an optional sign (int64_t) or without (uint64_t).
std::optional<int64_t> ParseInt(std::string_view text);
std::optional<uint64_t> ParseUint(std::string_view text);

/// strconv.Atoi. Errors: kInvalid  `strconv.Atoi: parsing "x": invalid syntax` or
/// `… value out of range`.
Result<int64_t> Atoi(std::string_view text);

/// strconv.ParseFloat: decimal or hexadecimal, underscores between digits, inf, infinity, nan in
/// any case. Too big is nothing, too small is zero.
std::optional<double> ParseDouble(std::string_view text);

/// %g: shortest digits that give the number back, "NaN", "+Inf", "-Inf". Exponents below -4 and
/// from 6 on are written with e and at least two digits.
std::string ShortestText(double value);

/// %.Nf, with "NaN", "+Inf" and "-Inf".
std::string FixedText(double value, int precision);

}  // namespace dray::cel::library
