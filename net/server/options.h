// SPDX-License-Identifier: Apache-2.0
// Where a server listens, and its limits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/share_budget.h"
#include "net/http2/limits.h"
#include "net/tls/context.h"

namespace dray::net::server {

class Network;  // net/server/network.h

/// Threads of a server; a larger number is cut to this.
inline constexpr size_t kReactorsMax = 256;
/// Connections a server holds when it has descriptors enough.
inline constexpr size_t kConnectionsMax = 10'000;
/// Limit of the connections of strangers, who also have at most a quarter of all connections. Each
/// may hold the state of a TLS handshake beside the bytes that are counted.
inline constexpr size_t kStrangersMax = 1024;

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // a numeric address; "::" and "0.0.0.0" for all
  uint16_t port = 0;                  // 0: any free one
  size_t reactors = 1;                // threads, at most kReactorsMax
  std::shared_ptr<tls::ServerContext> tls = nullptr;  // null: plain HTTP only

  bool plain_http2 = true;  // a plain connection that begins as HTTP/2 is taken as such

  // Limits. Times are checked every `tick`, so they end up to one tick late.
  // Connections over all reactors. Past it the oldest of a stranger makes room, else the new one
  // is closed at once. One sender has at most an eighth; past it his oldest idle one makes room,
  // else his next request is answered 429 (BodyState::kNoRoom).
  size_t connections_max = kConnectionsMax;
  size_t body_bytes_max = size_t{3} << 20;  // then BodyState::kTooLarge
  // All requests under way, heads and bodies, as promised or come, and one sender's eighth of it;
  // then BodyState::kNoRoom.
  size_t request_bytes_max = size_t{256} << 20;
  // What connections that have not shown a known sender yet may hold together of unfinished heads
  // and untaken answers; one address has at most what is left then for all others. The one that
  // passes it is closed.
  size_t stranger_bytes_max = size_t{16} << 20;
  uint32_t http2_streams_max = http2::kStreamsMax;  // at once on one connection
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds head_timeout{32'000};  // from a request's first byte to its head's end
  std::chrono::milliseconds body_timeout{60'000};  // for the body after that
  std::chrono::milliseconds idle_timeout{90'000};  // between requests
  // Output waits and the peer takes nothing, of a connection or of one stream of HTTP/2.
  std::chrono::milliseconds stall_timeout{60'000};
  std::chrono::milliseconds linger_timeout{1'000};  // of input that is dropped, after the answer
  std::chrono::milliseconds tick{500};
  // Asked of the kernel per connection: small values make slow readers visible early. 0: its own.
  int send_buffer_bytes = 0;

  Network* network = nullptr;  // null: KernelNetwork(); outlives the server

  /// Limits of the connections of known senders. Usual senders cannot use a quarter, which is left
  /// to strangers, because one of them may turn out to be an administrator.
  ShareLimits connection_limits() const {
    return {.total = connections_max,
            .share = std::max<size_t>(connections_max / 8, 1),
            .reserve = connections_max / 4};
  }
  size_t strangers_max() const { return std::clamp<size_t>(connections_max / 4, 1, kStrangersMax); }
};

}  // namespace dray::net::server
