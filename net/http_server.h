// SPDX-License-Identifier: Apache-2.0
// An HTTP server: reactors, listeners, connections and their limits, around the protocol engines.
// Plain HTTP and TLS share one port: the first byte of a connection tells them apart (0x16 begins
// a TLS record, and no HTTP method). Plain HTTP is for loopback peers only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/tls.h"

namespace dray::net {

inline constexpr size_t kReactorsMax = 256;

struct HttpServerOptions {
  std::string address = "127.0.0.1";                // a numeric address; "::" and "0.0.0.0" for all
  uint16_t port = 0;                                // 0: any free one
  size_t reactors = 1;                              // threads, at most kReactorsMax
  std::shared_ptr<TlsServerContext> tls = nullptr;  // null: plain HTTP only

  // Limits. Times are checked every `tick`, so they end up to one tick late.
  size_t connections_max = 10'000;          // over all reactors; more are closed at once
  size_t body_bytes_max = size_t{3} << 20;  // then Request::body_too_large
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds head_timeout{32'000};   // from a request's first byte to its head's end
  std::chrono::milliseconds body_timeout{60'000};   // for the body after that
  std::chrono::milliseconds idle_timeout{90'000};   // between requests
  std::chrono::milliseconds stall_timeout{60'000};  // output waits and the peer takes nothing
  std::chrono::milliseconds tick{500};
  // Asked of the kernel per connection: small values make slow readers visible early. 0: its own.
  int send_buffer_bytes = 0;
};

class HttpServer {
 public:
  /// Listens and starts the reactor threads. `clock`, `log` and `handler` outlive the server; the
  /// handler is called from every reactor's thread. Ignores SIGPIPE for the process.
  /// Errors: kBadRequest  the address does not parse.  kServiceUnavailable  it cannot be bound.
  static Result<std::unique_ptr<HttpServer>> Start(const Clock& clock,
                                                   const Log& log,
                                                   HttpServerOptions options,
                                                   Handler& handler);

  /// As Shutdown(0).
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Stops accepting, closes idle connections, lets answers under way end for `grace`, then breaks
  /// off the rest (their OnClose callbacks run) and joins the threads. Not from a reactor's thread.
  void Shutdown(std::chrono::milliseconds grace);

  /// The port listened on.
  uint16_t port() const;
  /// One per thread; valid as long as the server.
  std::vector<Reactor*> reactors();
  /// Connections open now, over all reactors.
  size_t connections() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::net
