// SPDX-License-Identifier: Apache-2.0
// The variables that an environment gives to every expression, and the fields of their types.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cel/language/environment.h"

namespace dray::cel::check {

/// The object type of `device`. Expressions cannot name it.
inline constexpr std::string_view kDeviceType = "kubernetes.DRADevice";

struct EnvironmentVariable {
  std::string_view name;  // may be qualified: "attributes.string"
  std::string_view type;  // as declarations write it
};

/// In the order in which evaluation expects their values.
///
/// Selectors and derived attributes have `device`. Named resources (1.30) have one map per type of
/// attribute; `attributes` alone is not a variable there. Admission policies have none. Source:
/// dynamic-resource-allocation, cel/compile.go; in 1.30 structured/namedresources/cel/compile.go.
std::span<const EnvironmentVariable> EnvironmentVariables(const Environment& environment);

/// The type of `field` of the object type `object`, as declarations write it; nothing if there is
/// no such field.
std::optional<std::string_view> EnvironmentFieldType(std::string_view object,
                                                     std::string_view field,
                                                     const Environment& environment);

}  // namespace dray::cel::check
