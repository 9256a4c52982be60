// SPDX-License-Identifier: Apache-2.0
// Similarity of names, for suggestions after typing errors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dray::inline text {

/// Insertions, deletions and replacements between two texts (Wagner and Fischer), case aside.
/// O(|a| * |b|).
size_t SpellingDistance(std::string_view a, std::string_view b);

/// Returns the most similar of `names`, if it differs by no more than two letters, or a third of
/// them. Else returns an empty name.
std::string NearestName(std::string_view name, std::span<const std::string> names);

/// "; did you mean NAME?" with that name; empty if there is none.
std::string MeantName(std::string_view name, std::span<const std::string> names);

/// Lists the existing names for a message about an unknown `name`: "it has gpu, nic and 3 more: did
/// you mean gpu?"; "it has none".
std::string KnownNames(std::string_view name, std::span<const std::string> names);

}  // namespace dray::inline text
