// SPDX-License-Identifier: Apache-2.0
// Limits of the HTTP API.
#pragma once

#include <cstddef>

namespace dray::server::http {

/// Bytes of a request's body (upstream's limit). Tell the HTTP server the same number.
inline constexpr size_t kBodyBytesMax = 3'145'728;
/// Characters of an audit id that a client may choose; a longer one is not taken over.
inline constexpr size_t kAuditIdMax = 128;

}  // namespace dray::server::http
