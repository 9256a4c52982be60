// SPDX-License-Identifier: Apache-2.0
// URLs: percent-encoding, query strings, and the scheme://host:port of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace dray::net {

/// Parameters a query may hold; more are refused rather than searched again and again.
inline constexpr size_t kQueryParametersMax = 4096;

enum class Plus : uint8_t { kIsPlus, kIsSpace };

/// Undoes percent-encoding (RFC 3986 2.1). In queries '+' is a space (form encoding), in paths not.
/// Any byte may come out, also NUL and bytes that are no UTF-8.
/// Errors: kBadRequest  a '%' without two hexadecimal digits after it.
Result<std::string> PercentDecode(std::string_view text, Plus plus);

/// Encodes everything but unreserved characters: safe as one path segment or query value.
std::string PercentEncode(std::string_view text);

/// The segments of an encoded path, decoded one by one, so "%2F" stays inside its segment. Empty
/// segments are kept ("/a//b" has "a", "", "b"); the leading '/' makes none, "/" has none.
/// Errors: kBadRequest  bad escape, or no leading '/'.
Result<std::vector<std::string>> SplitPath(std::string_view path);

/// A parsed query: parameters in the order written.
class Query {
 public:
  /// Parses "a=1&b&c=%20". "b" has an empty value; empty pieces are skipped.
  /// Errors: kBadRequest  bad escape, or more than kQueryParametersMax parameters.
  static Result<Query> Parse(std::string_view text);

  /// The first value wins (Kubernetes scalars); nothing when absent. "" is a value.
  std::optional<std::string_view> First(std::string_view name) const;
  /// Every value of a repeated parameter (dryRun), in order.
  std::vector<std::string_view> All(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& parameters() const { return parameters_; }

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

/// Where a server listens, and the path its API begins at.
struct Endpoint {
  Scheme scheme = Scheme::kHttps;
  std::string host;  // a name or an address, IPv6 without brackets
  uint16_t port = 0;
  std::string path;  // without a trailing '/', often empty
  bool operator==(const Endpoint&) const = default;
};

/// Parses "https://[::1]:6443/base": http or https, the default port when none is written.
/// Errors: kBadRequest  not such a URL; user information, query and fragment are refused.
Result<Endpoint> ParseEndpoint(std::string_view url);

/// host:port as it stands in a Host header, with brackets around IPv6.
std::string HostPort(const Endpoint& endpoint);

}  // namespace dray::net
