// SPDX-License-Identifier: Apache-2.0
// Standard base64 with padding (RFC 4648 section 4), which []byte fields use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::inline text {

std::string EncodeBase64(std::string_view bytes);

/// Returns nothing if `text` is not base64. Ignores line breaks, as Go does.
std::optional<std::string> DecodeBase64(std::string_view text);

/// The alphabet for URLs without padding (RFC 4648 section 5), which JSON Web Tokens use.
std::string EncodeBase64Url(std::string_view bytes);
/// Returns nothing if `text` is not that encoding. Unused bits must be zero.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace dray::inline text
