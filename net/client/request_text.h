// SPDX-License-Identifier: Apache-2.0
// A request of a client, and its bytes in HTTP/1.1.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"
#include "net/url.h"

namespace dray::net::client {

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query, encoded; the server's base path comes before it
  Headers headers = {};
  std::string body = {};
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

/// What a client adds to each request.
struct RequestExtras {
  std::string_view user_agent;
  std::string_view bearer_token = {};  // empty: none
};

/// Host, User-Agent, Content-Length and Authorization are added; the rest is the request's.
/// Errors: kBadRequest  a control character in the target or a header would forge a second request.
Result<std::string> RequestText(const Endpoint& server,
                                const ClientRequest& request,
                                const RequestExtras& extras);

}  // namespace dray::net::client
