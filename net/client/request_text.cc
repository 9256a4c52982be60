// SPDX-License-Identifier: Apache-2.0
#include "net/client/request_text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"
#include "net/url.h"

namespace dray::net::client {
namespace {

/// A control character or a space in the wrong place would let a value forge a second request.
bool IsSafe(const ClientRequest& request) {
  const auto clean = [](std::string_view text, char least) {
    return std::ranges::all_of(text, [least](char c) {
      return static_cast<unsigned char>(c) >= static_cast<unsigned char>(least) && c != 0x7f;
    });
  };
  bool safe = clean(request.method, '!') && clean(request.target, '!') && !request.method.empty();
  for (size_t i = 0; i < request.headers.size(); ++i) {
    const auto [name, value] = request.headers.at(i);
    safe = safe && clean(name, '!') && clean(value, ' ');
  }
  return safe;
}

}  // namespace

Result<std::string> RequestText(const Endpoint& server,
                                const ClientRequest& request,
                                const RequestExtras& extras) {
  if (!IsSafe(request)) {
    return Fail(StatusReason::kBadRequest, "control character in the request's target or headers");
  }
  std::string text = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\n",
                                 request.method,
                                 server.path,
                                 request.target,
                                 HostPort(server),
                                 extras.user_agent);
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < request.headers.size(); ++i) {
    const auto [name, value] = request.headers.at(i);
    fmt::format_to(out, "{}: {}\r\n", name, value);
  }
  if (!extras.bearer_token.empty() && !request.headers.Has("Authorization")) {
    fmt::format_to(out, "Authorization: Bearer {}\r\n", extras.bearer_token);
  }
  const bool has_body =
      !request.body.empty() || (request.method != "GET" && request.method != "HEAD");
  if (has_body) fmt::format_to(out, "Content-Length: {}\r\n", request.body.size());
  text += "\r\n";
  text += request.body;
  return text;
}

}  // namespace dray::net::client
