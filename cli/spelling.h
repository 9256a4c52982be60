// SPDX-License-Identifier: Apache-2.0
// How alike two names are, for people who mistype.
#pragma once

#include <cstddef>
#include <string_view>

namespace dray::cli {

/// Insertions, deletions and replacements between two texts (Wagner and Fischer), case aside.
/// O(|a| * |b|).
size_t SpellingDistance(std::string_view a, std::string_view b);

}  // namespace dray::cli
