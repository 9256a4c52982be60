// SPDX-License-Identifier: Apache-2.0
// The functions of an environment by name, and whether values fit their declarations.
#pragma once

#include <span>
#include <string_view>

#include "cel/check/declarations.h"
#include "cel/language/environment.h"
#include "cel/library/builtin.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// The function as the release of `environment` has it, with its cost there; nullptr if it is
/// declared but not implemented. `overload` is the only one that fits, if the checker found only
/// one: the sum of an empty list depends on it. Costs O(1).
const Builtin* FindBuiltin(std::string_view name,
                           const Environment& environment,
                           const check::Overload* overload = nullptr);

/// Whether `name` is a conversion between types, such as int or timestamp.
bool IsConversion(std::string_view name);

/// Whether `only` takes these values, or any overload of `function` if `only` is null. Checks only
/// the first element of a list.
bool AcceptsValues(const check::Function& function,
                   std::span<const Value> arguments,
                   const check::Overload* only = nullptr);

}  // namespace dray::cel::library
