// SPDX-License-Identifier: Apache-2.0
// One stream socket that does not block: the door through which bytes enter and leave the process.
// The kernel's sockets are here; net/testing/simulated_network.h has the simulated ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/descriptor.h"

namespace dray::net {

/// How a call ended. kWantRead: the caller must wait until the socket is readable. kWantWrite:
/// until it is writable. kEnd: the peer sends no more. kBroken: the connection is unusable.
enum class IoStatus : uint8_t { kDone, kWantRead, kWantWrite, kEnd, kBroken };

struct IoResult {
  IoStatus status = IoStatus::kDone;
  size_t size = 0;  // bytes moved, when kDone
  int error = 0;    // errno, when a socket is kBroken
};

class Socket {
 public:
  virtual ~Socket() = default;

  /// kDone with at least one byte; kWantRead only when the socket was empty during this call; kEnd;
  /// or kBroken.
  virtual IoResult Read(std::span<char> into) = 0;
  /// As Read, but the bytes stay in the socket.
  virtual IoResult Peek(std::span<char> into) = 0;
  /// May write a part. kWantWrite only when the socket was full during this call.
  virtual IoResult Write(std::string_view bytes) = 0;
  /// Sends the end of the stream; reading still works.
  virtual void EndWriting() = 0;
  /// Idempotent. After it no other call is allowed.
  virtual void Close() = 0;
  /// The number by which a Poller or poll(2) knows the socket.
  virtual int descriptor() const = 0;
};

/// A socket of the kernel. `socket` is non-blocking. Interrupted calls (EINTR) are repeated.
std::unique_ptr<Socket> MakeKernelSocket(Descriptor socket);

}  // namespace dray::net
