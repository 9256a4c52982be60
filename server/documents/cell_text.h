// SPDX-License-Identifier: Apache-2.0
// Words and forms that cells of many kinds share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/at_path.h"
#include "api/object.h"
#include "api/value/time.h"
#include "base/world.h"

namespace dray::server::documents {

inline constexpr std::string_view kNone = "<none>";
inline constexpr std::string_view kUnset = "<unset>";
inline constexpr std::string_view kUnknown = "<unknown>";

/// `text` as a JSON string.
std::string JsonCell(std::string_view text);
/// How long ago `time` was.
std::string AgeText(api::Time time, WallTime now);
/// `text`, or `otherwise` when it is empty.
std::string TextOr(std::string_view text, std::string_view otherwise);
/// "a,b,c + 2 more..." with at most `shown` of `items`.
std::string FirstOf(std::span<const std::string> items, size_t shown);
/// "a,b,c".
std::string Joined(std::span<const std::string> items);
/// The labels or the selector at `path` as text; <none> when there is nothing.
std::string SelectorText(const api::Object& object, std::string_view path);
/// The text at `member` of a part of an object; empty when it is absent.
std::string TextIn(const api::Found& of, std::string_view member);
/// The texts at `member` of each element of the list at `path`.
std::vector<std::string> TextsOf(const api::Object& object,
                                 std::string_view path,
                                 std::string_view member);

}  // namespace dray::server::documents
