// SPDX-License-Identifier: Apache-2.0
// Standard base64 with padding (RFC 4648 section 4), as []byte fields use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray {

std::string EncodeBase64(std::string_view bytes);

/// Nothing when `text` is not base64. Line breaks are ignored, as in Go.
std::optional<std::string> DecodeBase64(std::string_view text);

/// The alphabet for URLs without padding (RFC 4648 section 5), as JSON Web Tokens use it.
std::string EncodeBase64Url(std::string_view bytes);
/// Nothing when `text` is not that, to the last bit.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace dray
