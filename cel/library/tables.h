// SPDX-License-Identifier: Apache-2.0
// All functions of the language, one table per subject. Each is defined in the source file of its
// subject.
#pragma once

#include <span>

#include "cel/library/builtin.h"

namespace dray::cel::library {

std::span<const Builtin> OperatorBuiltins();
std::span<const Builtin> ConversionBuiltins();
std::span<const Builtin> StringBuiltins();
std::span<const Builtin> RegexBuiltins();
std::span<const Builtin> ListBuiltins();
std::span<const Builtin> OptionalBuiltins();
std::span<const Builtin> QuantityBuiltins();
std::span<const Builtin> SemverBuiltins();
std::span<const Builtin> TimeBuiltins();
std::span<const Builtin> AddressBuiltins();
std::span<const Builtin> UrlBuiltins();
std::span<const Builtin> AuthorizationBuiltins();
std::span<const Builtin> FormatBuiltins();
std::span<const Builtin> TextFormatBuiltins();

}  // namespace dray::cel::library
