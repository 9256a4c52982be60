// SPDX-License-Identifier: Apache-2.0
#include "net/transport.h"

#include <csignal>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "net/http.h"
#include "net/socket.h"

namespace dray::net {
namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Socket& socket) : socket_(socket) {}

  IoStatus Handshake() override { return IoStatus::kDone; }
  IoResult Read(std::span<char> into) override { return Note(socket_.Read(into)); }
  IoResult Write(std::string_view bytes) override { return Note(socket_.Write(bytes)); }
  void EndWriting() override { socket_.EndWriting(); }
  void DescribePeer(Peer& peer) const override { peer.scheme = Scheme::kHttp; }
  std::string failure() const override { return failure_; }

 private:
  IoResult Note(IoResult result) {
    if (result.status == IoStatus::kBroken) {
      failure_ = std::generic_category().message(result.error);
    }
    return result;
  }

  Socket& socket_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(Socket& socket) {
  return std::make_unique<PlainTransport>(socket);
}

void IgnoreBrokenPipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace dray::net
