// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) for large answers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"

namespace dray::server::http {

/// `text` compressed at the fastest level; nothing when zlib runs out of memory.
std::optional<std::string> Gzip(std::string_view text);

/// What Gzip or another program made of `bytes` bytes; nothing when it is something else.
std::optional<std::string> Gunzip(std::string_view compressed, size_t bytes);

/// Whether an element of Accept-Encoding is exactly "gzip"; weights are not read.
bool AcceptsGzip(const net::Headers& headers);

}  // namespace dray::server::http
