// SPDX-License-Identifier: Apache-2.0
// TLS as a byte stream over a socket.
//
// OpenSSL reads and writes the socket itself: no BIO pair and no buffers of ours, and with
// SSL_MODE_RELEASE_BUFFERS none of its own while a connection is idle.
#pragma once

#include <memory>
#include <string>

#include "base/world.h"
#include "net/socket.h"
#include "net/tls/openssl.h"
#include "net/transport.h"

namespace dray::net::tls {

/// OpenSSL's side of a context.
struct State {
  SslContextPtr context;
};

/// `now` decides which certificates are valid. `socket` outlives the transport, here and below.
/// Null only when memory is short.
std::unique_ptr<Transport> MakeServerTransport(const State& state, Socket& socket, WallTime now);

/// `host` is a DNS name or an IP address the server's certificate must name.
std::unique_ptr<Transport> MakeClientTransport(const State& state,
                                               Socket& socket,
                                               const std::string& host,
                                               WallTime now);

}  // namespace dray::net::tls
