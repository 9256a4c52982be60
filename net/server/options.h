// SPDX-License-Identifier: Apache-2.0
// Where a server listens, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "net/tls/context.h"

namespace dray::net::server {

inline constexpr size_t kReactorsMax = 256;

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // a numeric address; "::" and "0.0.0.0" for all
  uint16_t port = 0;                  // 0: any free one
  size_t reactors = 1;                // threads, at most kReactorsMax
  std::shared_ptr<tls::ServerContext> tls = nullptr;  // null: plain HTTP only

  // Limits. Times are checked every `tick`, so they end up to one tick late.
  size_t connections_max = 10'000;          // over all reactors; more are closed at once
  size_t body_bytes_max = size_t{3} << 20;  // then Request::body_too_large
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds head_timeout{32'000};   // from a request's first byte to its head's end
  std::chrono::milliseconds body_timeout{60'000};   // for the body after that
  std::chrono::milliseconds idle_timeout{90'000};   // between requests
  std::chrono::milliseconds stall_timeout{60'000};  // output waits and the peer takes nothing
  std::chrono::milliseconds tick{500};
  // Asked of the kernel per connection: small values make slow readers visible early. 0: its own.
  int send_buffer_bytes = 0;
};

}  // namespace dray::net::server
