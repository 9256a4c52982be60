// SPDX-License-Identifier: Apache-2.0
// Makes values in an arena. A value that would be too big becomes an error.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::inline value {

/// Longest string a function may build, in bytes. Upstream has no limit; attribute values are at
/// most 64 bytes long.
inline constexpr size_t kStringBytesMax = size_t{256} * 1024;
/// Most leaves of a list or map (see Weight). It bounds what one comparison can take.
inline constexpr size_t kWeightMax = size_t{64} * 1024;

/// Copies the text. Fails above kStringBytesMax.
Value MakeString(Arena& arena, std::string_view text);
/// Copies the items. Fails above kWeightMax.
Value MakeList(Arena& arena, std::span<const Value> items);
/// A list of items that are in the arena already. Fails above kWeightMax.
Value AdoptList(Arena& arena, std::span<const Value> items);
/// Copies the entries and sorts them; of equal keys the last wins, and one whose value is an error
/// takes its key away. Fails above kWeightMax, and for a key of a kind that CanBeKey refuses.
Value MakeMap(Arena& arena, std::span<const MapEntry> entries);
Value MakeSome(Arena& arena, const Value& value);

/// Whether a map literal may have keys of this kind: of any but those that Go cannot hash.
bool CanBeKey(ValueKind kind);

Value MakeError(Arena& arena, std::string_view message);
/// "no such overload".
Value NoSuchOverload();
/// For a call of what nothing implements: "no such overload: f", or without the name if the first
/// argument has methods of its own upstream.
Value NotImplemented(Arena& arena, std::string_view function, std::span<const Value> arguments);
/// "no such overload: f(int, string)".
Value WrongArguments(Arena& arena, std::string_view function, std::span<const Value> arguments);

}  // namespace dray::cel::inline value
