// SPDX-License-Identifier: Apache-2.0
// How a client reaches its server, and how long it waits.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "net/client/cancellation.h"
#include "net/tls/context.h"
#include "net/url.h"

namespace dray::net::client {

struct HttpClientOptions {
  Endpoint server;
  std::shared_ptr<const tls::ClientContext> tls = nullptr;  // needed for https
  std::string bearer_token;                                 // sent with every request unless empty
  std::string user_agent = "dray";
  std::shared_ptr<const Cancellation> cancellation = nullptr;
  std::chrono::milliseconds connect_timeout{10'000};  // TCP and TLS
  std::chrono::milliseconds request_timeout{60'000};  // of Send, and of Open until the head is here
};

}  // namespace dray::net::client
