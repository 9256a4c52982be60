// SPDX-License-Identifier: Apache-2.0
#include "net/transport.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/socket.h>
#include <sys/types.h>

#include "net/http.h"

namespace dray::net {
namespace {

bool WouldBlock(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int descriptor) : descriptor_(descriptor) {}

  IoStatus Handshake() override { return IoStatus::kDone; }

  IoResult Read(std::span<char> into) override {
    const ssize_t size = recv(descriptor_, into.data(), into.size(), 0);
    if (size > 0) {
      const auto count = static_cast<size_t>(size);
      return {.status = IoStatus::kDone, .size = count, .drained = count < into.size()};
    }
    if (size == 0) return {.status = IoStatus::kEnd};
    return {.status = WouldBlock(errno) ? IoStatus::kWantRead : Break(errno)};
  }

  IoResult Write(std::string_view bytes) override {
    const ssize_t size = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size >= 0) return {.status = IoStatus::kDone, .size = static_cast<size_t>(size)};
    return {.status = WouldBlock(errno) ? IoStatus::kWantWrite : Break(errno)};
  }

  void EndWriting() override { shutdown(descriptor_, SHUT_WR); }
  void DescribePeer(Peer& peer) const override { peer.scheme = Scheme::kHttp; }
  std::string failure() const override { return failure_; }

 private:
  IoStatus Break(int error) {
    failure_ = std::generic_category().message(error);
    return IoStatus::kBroken;
  }

  const int descriptor_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(int descriptor) {
  return std::make_unique<PlainTransport>(descriptor);
}

void IgnoreBrokenPipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace dray::net
