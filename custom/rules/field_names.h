// SPDX-License-Identifier: Apache-2.0
// Names of members as expressions write them: an identifier cannot hold every name of JSON, so some
// are escaped (apiserver, pkg/cel/escaping.go).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::custom::rules {

/// The identifier for a member: "a-b" is a__dash__b, "x.y" x__dot__y, "s/t" s__slash__t, "a__b"
/// a__underscores__b, and a reserved word such as "namespace" __namespace__. Nothing for a name
/// that expressions cannot select: an empty one, and one with a digit in front or other characters.
std::optional<std::string> EscapeName(std::string_view name);

/// The member that an identifier stands for; nothing if it holds an escape that there is not.
std::optional<std::string> UnescapeName(std::string_view identifier);

/// Whether `name` is a reserved word of the language.
bool IsReservedWord(std::string_view name);

}  // namespace dray::custom::rules
