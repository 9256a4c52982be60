// SPDX-License-Identifier: Apache-2.0
// URLs as Go's net/url takes them apart and writes them back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::cel::library {

struct UrlParts {
  std::string scheme;  // in lower case
  std::string host;    // decoded, with brackets and port
  std::string path;    // escaped
  std::string query;   // as written
  std::string text;
};

/// Reads an absolute URL or an absolute path.
///
/// Errors: kInvalid in Go's words: `parse "x": invalid URI for request`.
Result<UrlParts> ParseUrl(std::string_view text);

/// Whether Go's url.ParseRequestURI accepts `text`; it has no fragments. Errors as above.
Result<> CheckRequestUri(std::string_view text);

/// The parts of a URL that need not be absolute.
struct UrlReference {
  std::string scheme;               // in lower case
  std::optional<std::string> user;  // "name:password", escaped
  std::string host;                 // decoded, with brackets and port
  std::string query;                // as written
  std::string fragment;             // decoded
};

/// Reads a URL as Go's url.Parse does. Errors as above.
Result<UrlReference> ParseUrlReference(std::string_view text);
/// The same as url.ParseRequestURI does: absolute, and a fragment is a part of the path.
Result<UrlReference> ParseRequestUri(std::string_view text);

}  // namespace dray::cel::library
