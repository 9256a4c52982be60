// SPDX-License-Identifier: Apache-2.0
#include "net/url.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "net/http.h"

namespace dray::net {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

Result<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end || port == 0) {
    return Fail(StatusReason::kBadRequest, fmt::format("invalid port \"{}\"", text));
  }
  return port;
}

bool IsHost(std::string_view host) {
  if (host.empty()) return false;
  for (const char c : host) {
    if (!IsUnreserved(c) && c != ':') return false;
  }
  return true;
}

}  // namespace

Result<std::string> PercentDecode(std::string_view text, Plus plus) {
  if (text.find_first_of("%+") == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::kIsSpace) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 1 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Fail(StatusReason::kBadRequest,
                    fmt::format("invalid URL escape \"{}\"", text.substr(i, 3)));
      }
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string PercentEncode(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    }
  }
  return out;
}

Result<std::vector<std::string>> SplitPath(std::string_view path) {
  if (!path.starts_with('/')) {
    return Fail(StatusReason::kBadRequest, "a path begins with \"/\"");
  }
  path.remove_prefix(1);
  std::vector<std::string> segments;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    DRAY_TRY(std::string segment, PercentDecode(path.substr(0, slash), Plus::kIsPlus));
    segments.push_back(std::move(segment));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
    if (path.empty()) segments.emplace_back();  // a trailing '/' names an empty segment
  }
  return segments;
}

Result<Query> Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (piece.empty()) continue;
    if (query.parameters_.size() == kQueryParametersMax) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("the query has more than {} parameters", kQueryParametersMax));
    }
    const size_t equals = piece.find('=');
    DRAY_TRY(std::string name, PercentDecode(piece.substr(0, equals), Plus::kIsSpace));
    std::string value;
    if (equals != std::string_view::npos) {
      DRAY_TRY(value, PercentDecode(piece.substr(equals + 1), Plus::kIsSpace));
    }
    query.parameters_.emplace_back(std::move(name), std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::First(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : parameters_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

Result<Endpoint> ParseEndpoint(std::string_view url) {
  const auto refuse = [url](std::string_view why) {
    return Fail(StatusReason::kBadRequest, fmt::format("server URL \"{}\": {}", url, why));
  };
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    endpoint.scheme = Scheme::kHttps;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    endpoint.scheme = Scheme::kHttp;
    rest.remove_prefix(7);
  } else {
    return refuse("must begin with http:// or https://");
  }
  if (rest.find_first_of("?#@") != std::string_view::npos) {
    return refuse("must not hold a user, a query or a fragment");
  }
  const size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  endpoint.path = path;
  endpoint.port = endpoint.scheme == Scheme::kHttps ? kHttpsPort : kHttpPort;

  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return refuse(R"("[" without "]")");
    endpoint.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (!port.empty() && port.front() != ':') return refuse(R"(expected ":" after "]")");
  } else {
    const size_t colon = authority.find(':');
    endpoint.host = authority.substr(0, colon);
    port = colon == std::string_view::npos ? "" : authority.substr(colon);
  }
  if (!IsHost(endpoint.host)) return refuse("the host is empty or holds a bad character");
  if (!port.empty()) {
    DRAY_TRY(endpoint.port, ParsePort(port.substr(1)));
  }
  return endpoint;
}

std::string HostPort(const Endpoint& endpoint) {
  const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
                 : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

}  // namespace dray::net
