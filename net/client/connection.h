// SPDX-License-Identifier: Apache-2.0
// One connection of a blocking client: a socket, and waits with a deadline around it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"
#include "net/client/cancellation.h"
#include "net/client/dialer.h"
#include "net/client/options.h"
#include "net/http1/reader.h"
#include "net/transport.h"

namespace dray::net::client {

class Connection {
 public:
  /// Resolves, connects and shakes hands. Errors: as HttpClient::Send.
  static Result<std::unique_ptr<Connection>> Open(const Clock& clock,
                                                  const HttpClientOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<> WriteAll(std::string_view bytes, MonotonicTime deadline);
  /// Reads up to the end of the next final response head; interim (1xx) ones are dropped.
  Result<> ReadHead(std::string_view method, MonotonicTime deadline);
  /// Waits for more of the body and appends it to `body`. Errors: as HttpClient::Send.
  Result<> ReadSome(std::string& body, MonotonicTime deadline);

  bool message_done() const { return reader_.phase() == http1::Reader::Phase::kDone; }
  /// The connection may carry another request: nothing of it was closed or left over.
  bool reusable();
  bool written() const { return written_; }    // bytes of the request went out
  bool received() const { return received_; }  // bytes of the answer came in
  http1::Head& head() { return reader_.head(); }
  const Clock& clock() const { return clock_; }
  bool cancelled() const { return cancellation_ && cancellation_->cancelled(); }

 private:
  Connection(const Clock& clock,
             std::shared_ptr<const Cancellation> cancellation,
             std::unique_ptr<BlockingSocket> socket);
  Result<> Handshake(const HttpClientOptions& options, MonotonicTime deadline);
  /// Feeds what is buffered, or reads once and feeds that.
  Result<> Advance(std::string& body, MonotonicTime deadline);

  const Clock& clock_;
  const std::shared_ptr<const Cancellation> cancellation_;
  const std::unique_ptr<BlockingSocket> socket_;
  std::unique_ptr<Transport> transport_;
  http1::Reader reader_{http1::Reader::Role::kResponse};
  std::string input_;       // read, not fed yet
  std::string body_begin_;  // came with the head
  bool written_ = false, received_ = false, ended_ = false;
};

}  // namespace dray::net::client
