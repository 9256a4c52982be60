// SPDX-License-Identifier: Apache-2.0
// Limits of the HTTP API.
#pragma once

#include <cstddef>

namespace dray::server::http {

/// Bytes of a request's body (upstream's limit). The HTTP server must have the same limit.
inline constexpr size_t kBodyBytesMax = 3'145'728;
/// Characters of an audit id that a client may choose; a longer one is replaced.
inline constexpr size_t kAuditIdMax = 128;

}  // namespace dray::server::http
