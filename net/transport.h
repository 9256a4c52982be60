// SPDX-License-Identifier: Apache-2.0
// A byte stream over a socket, and the plain one (net/tls/transport.h has TLS). Nothing here
// blocks: the result of a call says what its caller must wait for.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/http.h"
#include "net/socket.h"

namespace dray::net {

class Transport {
 public:
  virtual ~Transport() = default;
  /// kDone once data can flow. kBroken: failure() says why. kWantRead and kWantWrite come, here and
  /// below, only from a call of the socket that was made during this call.
  virtual IoStatus Handshake() = 0;
  /// kEnd when the peer will send no more.
  virtual IoResult Read(std::span<char> into) = 0;
  /// May write a part. After kWantRead or kWantWrite the next call starts with the same bytes.
  virtual IoResult Write(std::string_view bytes) = 0;
  /// Sends the end of output; reading still works.
  virtual void EndWriting() = 0;
  /// Describes the peer, once the handshake is done.
  virtual void DescribePeer(Peer& peer) const = 0;
  /// What the two sides agreed to speak (ALPN, RFC 7301), once the handshake is done; empty when
  /// they did not say.
  virtual std::string_view protocol() const { return {}; }
  virtual std::string failure() const = 0;
};

/// `socket` outlives the transport.
std::unique_ptr<Transport> MakePlainTransport(Socket& socket);

/// Ignores SIGPIPE, so that writing to a closed connection fails and does not end the process.
void IgnoreBrokenPipes();

}  // namespace dray::net
