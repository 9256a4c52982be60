// SPDX-License-Identifier: Apache-2.0
// Texts that are too long to be shown whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::api::inline text {

/// `text` as it is up to `max` bytes; of a longer one the first `max` bytes, ended between two
/// characters, and "…". Cost is linear in `max`.
std::string Cut(std::string_view text, size_t max);

}  // namespace dray::api::inline text
