// SPDX-License-Identifier: Apache-2.0
// A socket whose edges a Loop reports, with what is known of its readiness.
//
// With edge-triggered readiness a forgotten edge is a connection that stands still for ever. So the
// two flags change here only: an edge sets them, and a call that found the socket empty (or full)
// clears its own. That call began after the edge was reported; what arrives later is a new edge.
// An older observation, such as a read that returned less than it had room for, clears nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "net/poller.h"
#include "net/socket.h"

namespace dray::net {

class WatchedSocket final : public Socket {
 public:
  explicit WatchedSocket(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}

  void OnEdge(Ready ready) {
    may_read_ = may_read_ || ready.to_read;
    may_write_ = may_write_ || ready.to_write;
  }
  /// False: the socket was empty when it was last read, and no edge came since.
  bool may_read() const { return may_read_; }
  /// False: the socket was full when it was last written, and no edge came since.
  bool may_write() const { return may_write_; }

  IoResult Read(std::span<char> into) override { return Note(socket_->Read(into)); }
  IoResult Peek(std::span<char> into) override { return Note(socket_->Peek(into)); }
  IoResult Write(std::string_view bytes) override { return Note(socket_->Write(bytes)); }
  void EndWriting() override { socket_->EndWriting(); }
  void Close() override { socket_->Close(); }
  int descriptor() const override { return socket_->descriptor(); }

 private:
  IoResult Note(IoResult result) {
    if (result.status == IoStatus::kWantRead) may_read_ = false;
    if (result.status == IoStatus::kWantWrite) may_write_ = false;
    return result;
  }

  const std::unique_ptr<Socket> socket_;
  bool may_read_ = true;
  bool may_write_ = true;
};

}  // namespace dray::net
