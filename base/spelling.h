// SPDX-License-Identifier: Apache-2.0
// How alike two names are, for people who mistype.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dray {

/// Insertions, deletions and replacements between two texts (Wagner and Fischer), case aside.
/// O(|a| * |b|).
size_t SpellingDistance(std::string_view a, std::string_view b);

/// The most alike of `names`, if it is as alike as what a slip of the hand makes of it: two
/// letters, or a third of them. Else empty.
std::string NearestName(std::string_view name, std::span<const std::string> names);

/// "; did you mean NAME?" about that one; empty when there is none.
std::string MeantName(std::string_view name, std::span<const std::string> names);

/// "it has gpu, nic and 3 more: did you mean gpu?" about the names there are, for somebody who
/// asked for `name`, which is not among them; "it has none".
std::string KnownNames(std::string_view name, std::span<const std::string> names);

}  // namespace dray
