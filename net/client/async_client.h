// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 client for many exchanges at once, which need no thread each: one thread waits for
// all of them. For servers that call other servers.
//
// Connections are kept and used again. The limits hold for waiting exchanges too, so a server that
// does not answer takes its own share of the connections and no more.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/world.h"
#include "net/client/request_text.h"
#include "net/tls/context.h"
#include "net/url.h"

namespace dray::net::client {

struct AsyncClientOptions {
  std::string user_agent = "dray";
  size_t connections_max = 512;
  size_t server_connections_max = 128;  // with one server
  size_t idle_max = 100;                // connections that wait for another exchange
  size_t waiting_max = 8192;            // exchanges that wait for a connection
  std::chrono::nanoseconds idle_time = std::chrono::seconds(90);
};

/// A server, and where it is.
struct ServerAt {
  Endpoint server;                                     // in the Host field and in the certificate
  std::shared_ptr<const tls::ClientContext> tls = {};  // needed for https
  Endpoint address = {};  // host and port to connect to; without a host, those of `server`
};

struct AsyncRequest {
  ServerAt to;
  ClientRequest request;
  MonotonicTime deadline;
  size_t response_bytes_max = 0;  // a longer body is an error
  /// It may be sent again when a kept connection ends before the first byte of an answer.
  bool is_repeatable = false;
};

/// Safe from any thread.
class AsyncClient {
 public:
  using Done = std::move_only_function<void(Result<ClientResponse>)>;

  /// The clock outlives the client. Throws std::system_error when no descriptor is free.
  AsyncClient(const Clock& clock, AsyncClientOptions options);
  /// As Close. May wait for a name service.
  ~AsyncClient();
  AsyncClient(const AsyncClient&) = delete;
  AsyncClient& operator=(const AsyncClient&) = delete;

  /// Sends the request; `done` gets the whole answer, whatever its status, exactly once. `done`
  /// runs on the client's thread, which must not wait. Errors: kServiceUnavailable  no connection,
  /// TLS failed, or it broke.  kTimeout  the deadline has passed.  kTooManyRequests  waiting_max
  /// exchanges wait.  kInternalError  the answer is malformed or too large.  kBadRequest  as
  /// RequestText.
  void Send(AsyncRequest request, Done done);

  /// Fails what is under way, soon, and all that comes later (kServiceUnavailable).
  void Close();

  /// Exchanges under way or waiting, for tests and metrics.
  size_t pending() const;

 private:
  class Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace dray::net::client
