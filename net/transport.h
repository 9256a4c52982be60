// SPDX-License-Identifier: Apache-2.0
// A byte stream over a non-blocking descriptor, and the plain one (net/tls/transport.h has TLS).
// Nothing here waits: a caller is told what to wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/http.h"

namespace dray::net {

enum class IoStatus : uint8_t { kDone, kWantRead, kWantWrite, kEnd, kBroken };

struct IoResult {
  IoStatus status = IoStatus::kDone;
  size_t size = 0;  // moved, when kDone
  /// Of Read: when it was done nothing more had come. Reading again would say kWantRead, or give
  /// what came since, which waiting for the descriptor tells as well, and for less.
  bool drained = false;
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// kDone once data can flow. kBroken: failure() says why.
  virtual IoStatus Handshake() = 0;
  /// kEnd when the peer will send no more.
  virtual IoResult Read(std::span<char> into) = 0;
  /// May write a part. After kWantRead or kWantWrite the next call starts with the same bytes.
  virtual IoResult Write(std::string_view bytes) = 0;
  /// Tells the peer that nothing more comes; reading still works.
  virtual void EndWriting() = 0;
  /// As of SocketStream: reading leaves what it gives in the socket from now on.
  virtual void set_leaves(bool leaves) = 0;
  /// Before a close: without it the peer may lose what it has not read yet (SocketStream::TakeOut).
  virtual void TakeOut() = 0;
  /// Who the peer is, once the handshake is done.
  virtual void DescribePeer(Peer& peer) const = 0;
  /// What the two sides agreed to speak (ALPN, RFC 7301), once the handshake is done; empty when
  /// they did not say.
  virtual std::string_view protocol() const { return {}; }
  virtual std::string failure() const = 0;
};

/// The descriptor stays the caller's and outlives the transport.
std::unique_ptr<Transport> MakePlainTransport(int descriptor);

/// Ignores SIGPIPE: writing to whom is gone fails, and ends no process.
void IgnoreBrokenPipes();

}  // namespace dray::net
