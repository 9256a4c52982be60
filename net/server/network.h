// SPDX-License-Identifier: Apache-2.0
// A server's access to the network: listening sockets, and the pollers that report
// readiness. KernelNetwork() is the machine's; net/testing/simulated_network.h has a simulated
// one.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "net/poller.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::server {

/// A listening socket that does not block.
class Acceptor {
 public:
  enum class Status : uint8_t {
    kAccepted,
    kNobody,   // no connection waits; the next one is an edge
    kSkipped,  // the connection that was first in the queue is gone; the next may be fine
    kFailed,   // no descriptor or no memory; the queue is as it was
  };
  struct Outcome {
    Status status = Status::kNobody;
    std::unique_ptr<Socket> socket = nullptr;  // kAccepted
    SocketAddress peer = {};                   // kAccepted
    int error = 0;                             // errno, kFailed
  };

  virtual ~Acceptor() = default;
  virtual Outcome Accept() = 0;
  virtual SocketAddress address() const = 0;
  virtual int descriptor() const = 0;
  /// Idempotent. After it no other call is allowed.
  virtual void Close() = 0;
};

struct ListenOptions {
  SocketAddress address;      // port 0: any free one
  bool shares_port = false;   // other acceptors listen on it as well (SO_REUSEPORT)
  int send_buffer_bytes = 0;  // of each accepted socket; 0: the kernel's default
};

class Network {
 public:
  virtual ~Network() = default;
  /// Throws std::system_error when there are no descriptors left.
  virtual std::unique_ptr<Poller> MakePoller() = 0;
  /// Errors: kServiceUnavailable  the address cannot be bound.
  virtual Result<std::unique_ptr<Acceptor>> Listen(const ListenOptions& options) = 0;
};

Network& KernelNetwork();

}  // namespace dray::net::server
