// SPDX-License-Identifier: Apache-2.0
// The door through which a blocking client reaches its server: sockets that can be waited for.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/world.h"
#include "net/client/cancellation.h"
#include "net/socket.h"
#include "net/url.h"

namespace dray::net::client {

class BlockingSocket : public Socket {
 public:
  /// Blocks until a call that ended with `blocked`, kWantRead or kWantWrite, is worth another try.
  /// Errors: kTimeout  `deadline` has passed, or the client was cancelled.  kServiceUnavailable
  /// the system cannot wait.
  virtual Result<> Wait(IoStatus blocked, MonotonicTime deadline) = 0;
  /// Whether bytes or the end of the stream can be read now.
  virtual bool is_readable() const = 0;
};

class Dialer {
 public:
  virtual ~Dialer() = default;
  /// Connects, without TLS. The socket's waits end early when `cancellation`, which may be null, is
  /// used. Errors: kServiceUnavailable  no address, or none can be reached.  kTimeout  as of Wait.
  virtual Result<std::unique_ptr<BlockingSocket>> Dial(
      const Clock& clock,
      const Endpoint& server,
      std::shared_ptr<const Cancellation> cancellation,
      MonotonicTime deadline) = 0;
};

/// Resolves names and connects with TCP.
Dialer& KernelDialer();

/// kServiceUnavailable, with the server's host and port before `why`.
Failure Unavailable(const Endpoint& server, std::string_view why);

}  // namespace dray::net::client
