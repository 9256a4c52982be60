// SPDX-License-Identifier: Apache-2.0
// The Kubernetes API over HTTP: authenticates, routes, negotiates, reads options and bodies, hands
// resource requests to the verbs and writes their answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/log.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "net/http.h"
#include "net/request_tracker.h"
#include "server/audit/request.h"
#include "server/http/authentication.h"
#include "server/http/health.h"
#include "server/http/in_flight.h"
#include "server/http/limits.h"  // IWYU pragma: export
#include "server/verbs/resources.h"

namespace dray::server::http {

struct ApiParts;  // server/http/exchange.h

struct HttpApiOptions {
  Authenticator authenticator = {};
  std::vector<HealthCheck> checks = {};  // beside "ping"
  // Past these a request is answered 429; 0: no limit. Members of system:masters always get in.
  size_t reads_max = kReadsInFlightMax;
  size_t writes_max = kWritesInFlightMax;
  /// A request that takes longer is answered 504, and may yet be carried out; `timeout` may ask for
  /// less.
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(60);
  /// Large answers on their way to clients, together; past it requests are answered 429.
  size_t answer_bytes_max = size_t{512} << 20;
  /// What others in this process count, too; null: nobody does.
  std::shared_ptr<metrics::Registry> metrics = nullptr;
  /// Called before `/metrics` is answered, from any thread, to set what is only looked at then.
  std::function<void()> measure = nullptr;
  /// How long requests wait in the HTTP server, read for `/metrics` from any thread; null: not
  /// known.
  std::function<net::RequestWaits()> request_waits = nullptr;
  /// Who may read it gets /debug/pprof/profile: samples of what this process does.
  bool profiling = false;
  /// What is written about requests; null: nothing.
  std::shared_ptr<const audit::Auditor> auditor = nullptr;
};

/// Handles requests on any number of reactors at once. What may take long (a large body, many
/// records, a document to compress) is carried out by the workers of the resources, if they have
/// any; the rest where it came in. One request that finds no memory is answered 500.
///
/// Answers to writes come from the store's thread through the request's reactor. So, to stop: shut
/// the HTTP server down, then Drain(), then destroy server, API, verbs and store.
class HttpApi final : public net::Handler {
 public:
  /// `resources` and `world` outlive this.
  HttpApi(verbs::Resources& resources, World& world, Log log, HttpApiOptions options);
  ~HttpApi() override;

  /// Known is who may do more than read health and version.
  net::Sender SenderOf(const net::Request& head) const override;
  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

  /// Waits until no request is with the verbs any more.
  void Drain();

 private:
  std::unique_ptr<ApiParts> parts_;
};

}  // namespace dray::server::http
