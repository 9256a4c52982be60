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
#include "net/request_tracker.h"
#include "net/server/options.h"

namespace dray::net::server {

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
  /// How long requests wait now, over all reactors. Safe from any thread; O(reactors).
  RequestWaits request_waits() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::net::server
