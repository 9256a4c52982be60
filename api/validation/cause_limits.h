// SPDX-License-Identifier: Apache-2.0
// How much an answer says about what is wrong with an object: the texts are upstream's up to here,
// and what is refused never costs more than what is taken (docs/design/cost.md).
#pragma once

#include <cstddef>

namespace dray::api::validation {

/// Causes of one answer. One more is kept while they are collected: it says that there are more.
inline constexpr size_t kCausesMax = 100;
/// Bytes of a value that a cause shows, of a name or key in its path.
inline constexpr size_t kShownMax = 1024;
/// Bytes of the whole text of a cause: the value, and what is said about it.
inline constexpr size_t kCauseTextMax = 4 * kShownMax;

}  // namespace dray::api::validation
