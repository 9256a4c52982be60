// SPDX-License-Identifier: Apache-2.0
#include "net/socket.h"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <sys/types.h>

#include "base/descriptor.h"

namespace dray::net {
namespace {

/// The result of a call that returned -1. `blocked` is what the call waits for on EAGAIN.
IoResult Failed(IoStatus blocked) {
  const bool would_block = errno == EAGAIN || errno == EWOULDBLOCK;
  if (would_block) return {.status = blocked};
  return {.status = IoStatus::kBroken, .size = 0, .error = errno};
}

class KernelSocket final : public Socket {
 public:
  explicit KernelSocket(Descriptor socket) : socket_(std::move(socket)) {}

  IoResult Read(std::span<char> into) override { return Receive(into, 0); }
  IoResult Peek(std::span<char> into) override { return Receive(into, MSG_PEEK); }

  IoResult Write(std::string_view bytes) override {
    ssize_t size = 0;
    do {
      size = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return Failed(IoStatus::kWantWrite);
    return {.status = IoStatus::kDone, .size = static_cast<size_t>(size)};
  }

  void EndWriting() override { shutdown(socket_.get(), SHUT_WR); }
  void Close() override { socket_.Close(); }
  int descriptor() const override { return socket_.get(); }

 private:
  IoResult Receive(std::span<char> into, int flags) {
    ssize_t size = 0;
    do {
      size = recv(socket_.get(), into.data(), into.size(), flags);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return Failed(IoStatus::kWantRead);
    if (size == 0) return {.status = IoStatus::kEnd};
    return {.status = IoStatus::kDone, .size = static_cast<size_t>(size)};
  }

  Descriptor socket_;
};

}  // namespace

std::unique_ptr<Socket> MakeKernelSocket(Descriptor socket) {
  return std::make_unique<KernelSocket>(std::move(socket));
}

}  // namespace dray::net
