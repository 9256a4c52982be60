// SPDX-License-Identifier: Apache-2.0
// Texts that are too long to be shown whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::api::inline text {

/// Returns `text` if it has at most `max` bytes; otherwise its first `max` bytes, cut between two
/// characters, and "…". Cost is linear in `max`.
std::string Cut(std::string_view text, size_t max);

}  // namespace dray::api::inline text
