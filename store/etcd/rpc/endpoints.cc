// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/endpoints.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "store/etcd/options.h"

namespace dray::store::etcd::rpc {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kUsualPort = "2379";

Failure Refuse(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

bool IsPort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

/// Returns "host:port" of the text after the scheme; empty if it is not one.
std::string AddressOf(std::string_view authority) {
  if (authority.ends_with('/')) authority.remove_suffix(1);
  constexpr std::string_view kNotInAHost = "/?#@ \t\r\n%,";
  if (authority.find_first_of(kNotInAHost) != std::string_view::npos) return "";
  const size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return "";
  const size_t colon = authority.find(':', bracket);
  const std::string_view host = authority.substr(0, colon);
  const std::string_view port =
      colon == std::string_view::npos ? kUsualPort : authority.substr(colon + 1);
  if (host.empty() || !IsPort(port)) return "";
  return fmt::format("{}:{}", host, port);
}

}  // namespace

Result<Endpoints> ParseEndpoints(const EtcdOptions& options) {
  if (options.endpoints.empty()) return Refuse("no etcd server is named");
  if (options.endpoints.size() > kEndpointsMax) {
    return Refuse(fmt::format(
        "{} etcd servers are named, at most {} can be", options.endpoints.size(), kEndpointsMax));
  }
  Endpoints endpoints{.members = {}, .tls = options.endpoints.front().starts_with(kHttps)};
  for (const std::string& url : options.endpoints) {
    const bool tls = url.starts_with(kHttps);
    if (!tls && !url.starts_with(kHttp)) {
      return Refuse(fmt::format("etcd server {}: a URL begins with http:// or https://", url));
    }
    if (tls != endpoints.tls) {
      return Refuse(fmt::format("etcd servers {} and {}: use https for all, or for none",
                                options.endpoints.front(),
                                url));
    }
    std::string address =
        AddressOf(std::string_view(url).substr(tls ? kHttps.size() : kHttp.size()));
    if (address.empty()) {
      return Refuse(fmt::format("etcd server {}: not a URL of the form http://host:port", url));
    }
    endpoints.members.push_back({.url = url, .address = std::move(address)});
  }
  if (!endpoints.tls && !(options.ca_file + options.certificate_file + options.key_file).empty()) {
    return Refuse(fmt::format("etcd server {}: certificates are used with https:// only",
                              options.endpoints.front()));
  }
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return Refuse("a certificate for etcd and its key go together: one of the files is not named");
  }
  return endpoints;
}

}  // namespace dray::store::etcd::rpc
