// SPDX-License-Identifier: Apache-2.0
// Warning headers (RFC 7234 5.5), as the API server sends them: 299 - "text".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dray::server::http {

/// Code points of all warnings of one answer. If they are more, each warning is cut to
/// kWarningTextMax, and warnings beyond the sum are dropped.
inline constexpr size_t kWarningsTotalMax = 4096;
inline constexpr size_t kWarningTextMax = 256;

/// The header values for `texts`, each text once, in order.
std::vector<std::string> WarningHeaders(std::span<const std::string> texts);

}  // namespace dray::server::http
