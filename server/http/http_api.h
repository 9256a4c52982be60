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
#include "server/http/pages.h"
#include "server/storage/commit_times.h"
#include "server/verbs/resources.h"

namespace dray::server::http {

struct ApiParts;  // server/http/exchange.h

struct HttpApiOptions {
  Authenticator authenticator = {};
  std::vector<HealthCheck> checks = {};  // beside "ping"
  // Requests beyond these limits are answered 429; 0: no limit. Members of system:masters are
  // exempt.
  size_t reads_max = kReadsInFlightMax;
  size_t writes_max = kWritesInFlightMax;
  /// A request that takes longer is answered 504, and may still be carried out. The client's
  /// parameter `timeout` can only shorten it.
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(60);
  /// Bytes of all large answers that clients have not yet received; beyond it requests are answered
  /// 429.
  size_t answer_bytes_max = size_t{512} << 20;
  /// The metrics of the process, to which those of requests are added; null: a registry of its own.
  std::shared_ptr<metrics::Registry> metrics = nullptr;
  /// Called before `/metrics` is answered, from any thread, to update metrics that are read only
  /// then.
  std::function<void()> measure = nullptr;
  /// Returns how long requests wait in the HTTP server, for `/metrics`; called from any thread.
  /// Null: unknown.
  std::function<net::RequestWaits()> request_waits = nullptr;
  /// Serve /debug/pprof/profile to clients that may read it: samples of this process's stacks.
  bool profiling = false;
  /// Writes the audit log; null: none.
  std::shared_ptr<const audit::Auditor> auditor = nullptr;
  /// `/metrics` has a series for each object of dynamic resource allocation
  /// (server/http/state_metrics.h), shown to all that may read it.
  bool state_metrics = false;
  /// The pages below /ui/; null: none, and nothing is served there.
  std::shared_ptr<const Pages> pages = nullptr;
  /// When the commits were, for questions of pages about the past; null: they are refused.
  std::shared_ptr<const storage::CommitTimes> commit_times = nullptr;
};

/// Handles requests on any number of reactors at once. Workers of the resources, if there are any,
/// carry out work that may take long (a large body, many records, a document to compress); other
/// work runs on the reactor's thread. A request that runs out of memory is answered 500.
///
/// Answers to writes come from the store's thread through the request's reactor. So, to stop: shut
/// the HTTP server down, then Drain(), then destroy server, API, verbs and store.
class HttpApi final : public net::Handler {
 public:
  /// `resources` and `world` outlive this.
  HttpApi(verbs::Resources& resources, World& world, Log log, HttpApiOptions options);
  ~HttpApi() override;

  /// The sender's owner; known senders are those that may do more than read health and version.
  net::Sender SenderOf(const net::Request& head) const override;
  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

  /// Waits until no request is in the verbs.
  void Drain();

 private:
  std::unique_ptr<ApiParts> parts_;
};

}  // namespace dray::server::http
