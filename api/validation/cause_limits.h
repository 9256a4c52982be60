// SPDX-License-Identifier: Apache-2.0
// Limits of the errors in an answer about an invalid object. Up to these limits the texts are
// upstream's. They ensure that refusing an object never costs more than accepting it
// (docs/design/cost.md).
#pragma once

#include <cstddef>

namespace dray::api::validation {

/// Causes of one answer. One more is kept while they are collected, to know whether there are more.
inline constexpr size_t kCausesMax = 100;
/// Bytes of a value that a cause shows, of a name or key in its path.
inline constexpr size_t kShownMax = 1024;
/// Bytes of the whole text of a cause: the value and its message.
inline constexpr size_t kCauseTextMax = 4 * kShownMax;

}  // namespace dray::api::validation
