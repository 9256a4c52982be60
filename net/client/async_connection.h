// SPDX-License-Identifier: Apache-2.0
// One connection of an AsyncClient: connects, shakes hands, and carries one exchange of HTTP/1.1
// after the other. On the thread of its reactor only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "net/client/addresses.h"
#include "net/client/request_text.h"
#include "net/http1/reader.h"
#include "net/poller.h"
#include "net/reactor.h"
#include "net/socket.h"
#include "net/tls/context.h"
#include "net/transport.h"

namespace dray::net::client {

class AsyncConnection final : public Waiter, public std::enable_shared_from_this<AsyncConnection> {
 public:
  /// What became of an exchange.
  struct Outcome {
    Result<ClientResponse> answer;
    /// The connection broke before a byte of the answer came. The server has closed an idle
    /// connection, perhaps.
    bool is_unanswered = false;
  };
  /// Called once for each exchange. Then the connection is idle or closed.
  using Done = std::move_only_function<void(Outcome outcome)>;
  /// The server ended the connection while it was idle.
  using Ended = std::move_only_function<void()>;

  struct Exchange {
    std::string text;  // RequestText's
    size_t response_bytes_max = 0;
    MonotonicTime deadline;
    Done done;
  };

  /// Reactor and clock outlive the connection. `host` is what the server's certificate must name;
  /// without `tls` the connection is plain.
  AsyncConnection(Reactor& reactor,
                  const Clock& clock,
                  std::shared_ptr<const tls::ClientContext> tls,
                  std::string host);
  ~AsyncConnection();
  AsyncConnection(const AsyncConnection&) = delete;
  AsyncConnection& operator=(const AsyncConnection&) = delete;

  /// Connects to the first of `addresses` that answers, for the first exchange. Each of several
  /// gets its part of the time.
  void Open(std::vector<Address> addresses, Exchange first);
  /// Carries out another exchange. The connection is idle.
  void Begin(Exchange next);
  /// Calls `ended` when the server ends the connection, until the next exchange begins.
  void Watch(Ended ended);
  /// Breaks off whatever is under way; its `done` is not called any more.
  void Close();

  bool is_idle() const { return stage_ == Stage::kIdle; }

 private:
  enum class Stage : uint8_t { kConnecting, kHandshake, kSending, kReceiving, kIdle, kClosed };

  void OnReady(Ready ready) override;
  /// Does all that can be done now.
  void Progress();
  /// One step; false: wait for the next edge.
  bool Step();
  void Connect();
  bool FinishConnecting();
  bool ShakeHands();
  bool Write();
  bool Read();
  bool Take(std::string_view bytes);
  bool ReadWhileIdle();
  void NextAddress(std::string why);
  void DropSocket();
  void Finish();
  void Break(Error error);

  Reactor& reactor_;
  const Clock& clock_;
  const std::shared_ptr<const tls::ClientContext> tls_;
  const std::string host_;
  Stage stage_ = Stage::kClosed;
  std::vector<Address> addresses_;
  size_t next_address_ = 0;
  Timer patience_;  // with one address of several
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Transport> transport_;
  http1::Reader reader_{http1::Reader::Role::kResponse};
  Exchange exchange_;
  size_t written_ = 0;     // of the request's text
  bool received_ = false;  // bytes of the answer
  std::string body_;
  Ended ended_;
};

}  // namespace dray::net::client
