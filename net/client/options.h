// SPDX-License-Identifier: Apache-2.0
// How a client reaches its server, and how long it waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "net/client/cancellation.h"
#include "net/tls/context.h"
#include "net/url.h"

namespace dray::net::client {

/// The whole body of one answer: the largest list that a client reads in one piece.
inline constexpr size_t kResponseBytesMax = size_t{512} << 20;

class Dialer;  // net/client/dialer.h

struct HttpClientOptions {
  Endpoint server;
  std::shared_ptr<const tls::ClientContext> tls = nullptr;  // needed for https
  std::string bearer_token;                                 // sent with every request unless empty
  std::string user_agent = "dray";
  std::shared_ptr<const Cancellation> cancellation = nullptr;
  Dialer* dialer = nullptr;                           // null: KernelDialer(); outlives the client
  std::chrono::milliseconds connect_timeout{10'000};  // TCP and TLS
  std::chrono::milliseconds request_timeout{60'000};  // of Send, and of Open until the head is here
  size_t response_bytes_max = kResponseBytesMax;      // a longer body is refused, not one of lines
};

}  // namespace dray::net::client
