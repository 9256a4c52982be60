// SPDX-License-Identifier: Apache-2.0
#include "net/server/http_server.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/result.h"
#include "base/thread_urgency.h"
#include "base/try.h"
#include "base/world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/request_tracker.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/server/reactor_host.h"
#include "net/server/socket_address.h"
#include "net/transport.h"

namespace dray::net::server {
struct HttpServer::Impl {
  explicit Impl(HttpServerOptions chosen) : options(std::move(chosen)), load(options) {}

  const HttpServerOptions options;
  ServerLoad load;
  uint16_t port = 0;
  std::vector<std::unique_ptr<ReactorHost>> hosts;
  std::vector<std::thread> threads;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  Shutdown(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const Clock& clock,
                                                      const Log& log,
                                                      HttpServerOptions options,
                                                      Handler& handler) try {
  std::optional<SocketAddress> address = SocketAddress::Parse(options.address, options.port);
  if (!address) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("\"{}\" is not an IP address to listen on", options.address));
  }
  if (!options.tls && !address->is_loopback()) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("listening on {} needs TLS: plain HTTP is for loopback only", options.address));
  }
  IgnoreBrokenPipes();
  options.reactors = std::clamp<size_t>(options.reactors, 1, kReactorsMax);
  auto impl = std::make_unique<Impl>(std::move(options));
  for (size_t i = 0; i < impl->options.reactors; ++i) {
    auto host = std::make_unique<ReactorHost>(clock, log, impl->options, handler, impl->load);
    DRAY_TRY_VOID(host->Listen(*address));
    address->set_port(host->port());
    DRAY_TRY_VOID(host->Begin());
    impl->hosts.push_back(std::move(host));
  }
  impl->port = address->port();
  for (const auto& host : impl->hosts) {
    impl->threads.emplace_back([reactor = &host->reactor()] {
      GoSoonAfterWaking();
      reactor->Run();
    });
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
} catch (const std::exception& exception) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("cannot start the server: {}", exception.what()));
}

void HttpServer::Shutdown(std::chrono::milliseconds grace) {
  for (const auto& host : impl_->hosts) {
    host->reactor().Post([host = host.get(), grace] { host->Drain(grace); });
  }
  for (std::thread& thread : impl_->threads) {
    if (thread.joinable()) thread.join();
  }
}

uint16_t HttpServer::port() const {
  return impl_->port;
}

std::vector<Reactor*> HttpServer::reactors() {
  std::vector<Reactor*> reactors;
  for (const auto& host : impl_->hosts) reactors.push_back(&host->reactor());
  return reactors;
}

size_t HttpServer::connections() const {
  return impl_->load.connections.load();
}

RequestWaits HttpServer::request_waits() const {
  RequestWaits all;
  for (const auto& host : impl_->hosts) {
    const RequestWaits one = host->request_waits();
    all.oldest_age = std::max(all.oldest_age, one.oldest_age);
    all.answers_waited_for_peer += one.answers_waited_for_peer;
  }
  return all;
}

}  // namespace dray::net::server
