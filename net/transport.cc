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

#include <sys/types.h>

#include "net/http.h"
#include "net/socket_stream.h"

namespace dray::net {
namespace {

bool WouldBlock(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int descriptor) : stream_(descriptor) {}

  IoStatus Handshake() override { return IoStatus::kDone; }

  IoResult Read(std::span<char> into) override {
    const ssize_t size = stream_.Read(into);
    if (size > 0) {
      return {.status = IoStatus::kDone,
              .size = static_cast<size_t>(size),
              .drained = stream_.drained()};
    }
    if (size == 0) return {.status = IoStatus::kEnd};
    return {.status = WouldBlock(errno) ? IoStatus::kWantRead : Break(errno)};
  }

  IoResult Write(std::string_view bytes) override {
    const ssize_t size = stream_.Write(bytes);
    if (size >= 0) return {.status = IoStatus::kDone, .size = static_cast<size_t>(size)};
    return {.status = WouldBlock(errno) ? IoStatus::kWantWrite : Break(errno)};
  }

  void EndWriting() override { stream_.EndWriting(); }
  void set_leaves(bool leaves) override { stream_.set_leaves(leaves); }
  void TakeOut() override { stream_.TakeOut(); }
  void DescribePeer(Peer& peer) const override { peer.scheme = Scheme::kHttp; }
  std::string failure() const override { return failure_; }

 private:
  IoStatus Break(int error) {
    failure_ = std::generic_category().message(error);
    return IoStatus::kBroken;
  }

  SocketStream stream_;
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
