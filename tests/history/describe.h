// SPDX-License-Identifier: Apache-2.0
// Descriptions for findings: short enough for one line, exact enough to find the operation in the
// history.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history {

/// The client number of deletions by the store, when a key expires.
inline constexpr uint32_t kStoreItself = std::numeric_limits<uint32_t>::max();

/// A value, cut short: `v1`, or `aaaaaaaaaaaaaaaaaaaaaaaa… (2048 bytes)`.
std::string ShortValue(std::string_view value);

/// "a=v1@7 (created 5, version 2)", or "a absent".
std::string Describe(const Item& item);
std::string Describe(std::string_view key, const std::optional<Item>& item);

/// "#14 write of client 2 (14 to 17)"
std::string Name(const Operation& operation);
/// The name and arguments: "#14 write of client 2 (14 to 17): if a@7, put a=v1, delete b".
std::string Describe(const Operation& operation);

/// "#9 watch of client 1 on "a" after 5"
std::string Name(const Watch& watch);
/// "updated a=v1@7 (…)"
std::string Describe(const Event& event);

}  // namespace dray::history
