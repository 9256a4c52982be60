// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/internal/connection.h"
#include "net/internal/transport.h"
#include "net/reactor.h"

namespace dray::net {
namespace internal {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

std::unexpected<Error> CannotListen(const tcp::endpoint& endpoint, const error_code& error) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("cannot listen on {} port {}: {}",
                          endpoint.address().to_string(),
                          endpoint.port(),
                          error.message()));
}

}  // namespace

ReactorHost::ReactorHost(const Clock& clock_in,
                         const Log& log_in,
                         const HttpServerOptions& options_in,
                         Handler& handler_in,
                         std::atomic<size_t>& connections)
    : clock(clock_in),
      log(log_in),
      options(options_in),
      handler(handler_in),
      acceptor(reactor.loop().context),
      connections_open_(connections) {}

Result<> ReactorHost::Listen(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && options.reactors > 1) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) return CannotListen(endpoint, error);
  return {};
}

void ReactorHost::Begin() {
  RefreshDate();
  tick_timer_ = reactor.RunAfter(options.tick, [this] { Tick(); });
  Accept();
}

void ReactorHost::Accept() {
  acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted || draining_) return;
    if (!error) {
      Adopt(std::move(socket));
      Accept();
      return;
    }
    if (error == boost::asio::error::connection_aborted) {
      Accept();
      return;
    }
    // Out of descriptors or memory: trying again at once would spin.
    log.Warning("cannot accept a connection", "error", error.message());
    retry_timer_ = reactor.RunAfter(options.tick, [this] { Accept(); });
  });
}

void ReactorHost::Adopt(tcp::socket socket) {
  if (connections_open_.fetch_add(1) >= options.connections_max) {
    connections_open_.fetch_sub(1);
    return;  // closes the socket
  }
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.emplace(connection.get(), connection);
  connection->Begin();
}

void ReactorHost::Forget(Connection& connection) {
  if (connections_.erase(&connection) == 0) return;
  connections_open_.fetch_sub(1);
  // Posted, so that the callbacks which closing has posted run before the loop ends.
  if (draining_ && connections_.empty()) reactor.Post([this] { reactor.Stop(); });
}

uint64_t ReactorHost::TickAfter(std::chrono::milliseconds timeout) const {
  const int64_t length = std::max<int64_t>(options.tick.count(), 1);
  const int64_t ticks = (std::max<int64_t>(timeout.count(), 0) + length - 1) / length;
  return tick + static_cast<uint64_t>(ticks) + 1;
}

void ReactorHost::Tick() {
  ++tick;
  RefreshDate();
  std::vector<std::shared_ptr<Connection>> late;
  for (const auto& [key, connection] : connections_) {
    if (connection->is_late()) late.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : late) connection->Close();
  tick_timer_ = reactor.RunAfter(options.tick, [this] { Tick(); });
}

void ReactorHost::RefreshDate() {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(clock.Now());
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  date = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(unix_seconds));
}

void ReactorHost::Drain(std::chrono::milliseconds grace) {
  draining_ = true;
  error_code ignored;
  acceptor.close(ignored);
  std::vector<std::shared_ptr<Connection>> open;
  open.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) open.push_back(connection);
  for (const std::shared_ptr<Connection>& connection : open) connection->Shutdown();
  if (connections_.empty()) {
    reactor.Post([this] { reactor.Stop(); });
  } else if (grace.count() <= 0) {
    CloseAll();
  } else {
    drain_timer_ = reactor.RunAfter(grace, [this] { CloseAll(); });
  }
}

void ReactorHost::CloseAll() {
  std::vector<std::shared_ptr<Connection>> open;
  open.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) open.push_back(connection);
  for (const std::shared_ptr<Connection>& connection : open) connection->Close();
}

}  // namespace internal

struct HttpServer::Impl {
  HttpServerOptions options;
  std::atomic<size_t> connections{0};
  uint16_t port = 0;
  std::vector<std::unique_ptr<internal::ReactorHost>> hosts;
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
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(options.address, error);
  if (error) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("\"{}\" is not an IP address to listen on", options.address));
  }
  if (!options.tls && !address.is_loopback()) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("listening on {} needs TLS: plain HTTP is for loopback only", options.address));
  }
  internal::IgnoreBrokenPipes();
  options.reactors = std::clamp<size_t>(options.reactors, 1, kReactorsMax);
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  boost::asio::ip::tcp::endpoint endpoint(address, impl->options.port);
  for (size_t i = 0; i < impl->options.reactors; ++i) {
    auto host = std::make_unique<internal::ReactorHost>(
        clock, log, impl->options, handler, impl->connections);
    DRAY_TRY_VOID(host->Listen(endpoint));
    endpoint.port(host->acceptor.local_endpoint().port());
    host->Begin();
    impl->hosts.push_back(std::move(host));
  }
  impl->port = endpoint.port();
  for (const auto& host : impl->hosts) {
    impl->threads.emplace_back([reactor = &host->reactor] { reactor->Run(); });
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
} catch (const std::exception& exception) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("cannot start the server: {}", exception.what()));
}

void HttpServer::Shutdown(std::chrono::milliseconds grace) {
  for (const auto& host : impl_->hosts) {
    host->reactor.Post([host = host.get(), grace] { host->Drain(grace); });
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
  for (const auto& host : impl_->hosts) reactors.push_back(&host->reactor);
  return reactors;
}

size_t HttpServer::connections() const {
  return impl_->connections.load();
}

}  // namespace dray::net
