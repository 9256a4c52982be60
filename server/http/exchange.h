// SPDX-License-Identifier: Apache-2.0
// One request in the HTTP API, from its arrival until its answer is written.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "net/client/request_text.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/request_tracker.h"
#include "net/url.h"
#include "server/access/impersonation.h"
#include "server/access/rbac.h"
#include "server/audit/request.h"
#include "server/documents/discovery.h"
#include "server/documents/openapi.h"
#include "server/documents/render.h"
#include "server/http/authentication.h"
#include "server/http/health.h"
#include "server/http/in_flight.h"
#include "server/http/live_documents.h"
#include "server/http/object_metrics.h"
#include "server/http/pages.h"
#include "server/http/request_metrics.h"
#include "server/http/router.h"
#include "server/http/watch_scope.h"
#include "server/storage/commit_times.h"
#include "server/verbs/context/request.h"
#include "server/verbs/resources.h"

namespace dray::server::http {

/// The metrics that `/metrics` shows.
struct ApiMetrics {
  ApiMetrics(std::shared_ptr<metrics::Registry> shared,
             std::function<void()> measure_others,
             Disk& disk)
      : registry(std::move(shared)),
        requests(*registry),
        objects(*registry),
        process(*registry, disk),
        measure(std::move(measure_others)) {}

  const std::shared_ptr<metrics::Registry> registry;
  RequestMetrics requests;
  ObjectMetrics objects;
  metrics::ProcessMetrics process;
  const std::function<void()> measure;  // updates other metrics before they are read; may be null
};

/// State that all requests share; constant except for counts.
struct ApiParts {
  verbs::Resources& resources;
  World& world;
  Log log;
  Authenticator authenticator;
  std::vector<HealthCheck> checks;
  std::unique_ptr<LiveDocuments> documents;
  std::shared_ptr<InFlight> reads, writes;
  std::shared_ptr<ShareBudget> answers;
  std::chrono::nanoseconds request_timeout;
  std::unique_ptr<ApiMetrics> metrics;
  bool profiling;                                            // serve /debug/pprof/profile
  std::shared_ptr<const audit::Auditor> auditor;             // null: no audit log
  std::function<net::RequestWaits()> request_waits;          // null: unknown
  std::shared_ptr<const Pages> pages;                        // null: none
  std::shared_ptr<const storage::CommitTimes> commit_times;  // null: no history for pages
  bool state_metrics;                                        // objects as series in /metrics
  WatchScopes watch_scopes = {};
  // Requests in the verbs. Shared, because the last one may still wake Drain() when this is gone.
  std::shared_ptr<std::atomic<size_t>> pending = std::make_shared<std::atomic<size_t>>(0);
};

/// One request in the verbs; Drain() waits until there is none.
class Pending {
 public:
  explicit Pending(std::shared_ptr<std::atomic<size_t>> count) : count_(std::move(count)) {
    count_->fetch_add(1);
  }
  Pending(Pending&& other) noexcept = default;
  Pending& operator=(Pending&&) = delete;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (count_ != nullptr && count_->fetch_sub(1) == 1) count_->notify_all();
  }

 private:
  std::shared_ptr<std::atomic<size_t>> count_;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(ApiParts& parts, net::Request request, std::shared_ptr<net::Responder> responder)
      : parts_(parts),
        request_(std::move(request)),
        responder_(std::move(responder)),
        began_(parts.world.clock.Monotonic()),
        received_(parts.world.clock.Now()) {}

  /// Answers the request, now or later, exactly once. On the reactor's thread. A request that runs
  /// out of memory is answered 500, or its connection is closed.
  void Run();

 private:
  // exchange.cc: the frame around every request
  Result<> Admit();
  Result<> ReadUrl();
  Result<> CheckRights();
  Result<> BecomeAnother(const access::Decider& decide);
  void Serve();
  bool IsLong() const;
  void RunByWorker();
  bool TakePlace();
  std::chrono::nanoseconds TimeLimit() const;
  void StartDeadline();
  void OutOfMemory();
  /// Runs `work`. bad_alloc ends this request, not the process: unwinding frees the memory of
  /// `work`, which leaves enough for an error.
  template <class F>
  void Guarded(F&& work) {
    try {
      std::forward<F>(work)();
    } catch (const std::bad_alloc&) {
      OutOfMemory();
    }
  }
  std::string AuditId() const;
  net::ResponseHead Head(int status, std::string_view media_type);
  void Send(net::ResponseHead head, std::string body);
  void SendPieces(net::ResponseHead head, documents::TextPieces body);
  void Respond(net::ResponseHead head, net::Body body);
  void SendError(const Error& error);
  void SendText(int status, std::string_view text);
  void SendTooManyRequests();
  void SendLate();
  void Count(int code, size_t answer_bytes, std::string_view why_not);
  void LogRequest(int code, double seconds, std::string_view why_not) const;

  // audit.cc: the audit events of the request
  Result<> BeginAudit(const verbs::User& user);
  void AuditUnknown();
  void AuditMalformed(const verbs::User& user);
  void AuditRights(bool is_allowed, std::string reason);
  void AuditReceived();
  void AuditBody(const verbs::ResourceRequest& request);
  void AuditAnswer(const verbs::Answer& answer);
  void AuditEnd(int code);

  // plain_routes.cc: routes other than resources
  void ServePlain();
  void ServeHealth();
  void ServeMetrics();
  void ServeProfile();
  void ServeOpenId();
  void ServeDocument(const std::string* json);
  using AggregatedDocument =
      documents::Discovery::Document documents::Discovery::AggregatedForms::*;
  void SendDocument(const std::string& json, const documents::Form& form);
  void ServeDiscovery(const std::string& plain, AggregatedDocument document);
  void ServeOpenApiV2();
  void ServeOpenApiV3();
  void ServeOpenApiDocument(const documents::OpenApi& openapi,
                            const documents::OpenApi::Document& document,
                            documents::OpenApiForm form,
                            net::ResponseHead head);

  // page_routes.cc: pages beside the API
  bool AsksForPage() const;
  void ServePage();
  void ServePageQuestion();
  Result<> CheckMayList(const api::KindInfo& kind, const std::string& namespace_) const;
  Result<std::vector<api::Object>> ListAsUser(const api::KindInfo& kind,
                                              const std::string& namespace_);
  Result<PastSpan> PastAsUser(const api::KindInfo& kind,
                              const std::string& namespace_,
                              const SeeTimedPast& see);

  // remote_routes.cc: what other servers answer
  void RouteToOthers();
  std::optional<std::string> WithOthers(const std::string& document, bool is_aggregated) const;
  void ServeRemote();
  net::client::ClientRequest ForwardedRequest() const;
  void AnsweredByOther(std::expected<net::client::ClientResponse, std::string> answer);

  // resource_routes.cc: what is one
  void ServeResource();
  Result<verbs::ResourceRequest> ReadRequest();
  Result<> ReadBody(verbs::ResourceRequest& request);
  Result<> ReadProtobufBody(verbs::ResourceRequest& request);
  Result<std::string> JsonBody(verbs::ResourceRequest& request, bool yaml);
  void BeginWatch(verbs::ResourceRequest request);
  void Watch(const verbs::ResourceRequest& request);
  void Finished(Result<verbs::Answer> result);
  void Answered(verbs::Answer answer);

  ApiParts& parts_;
  net::Request request_;
  std::shared_ptr<net::Responder> responder_;
  const MonotonicTime began_;
  const WallTime received_;
  // Set by ReadUrl before another thread sees the request: both threads read them for the metrics.
  bool is_dry_run_ = false, is_apply_ = false;
  net::Query query_;
  Route route_;
  access::Attributes asked_;  // route_ as attributes for authorization
  Authenticated who_;
  bool is_refused_ = false;                         // authorization failed
  std::string why_not_;                             // the message of an error, for the log
  std::shared_ptr<audit::AuditedRequest> audited_;  // null: no audit events
  bool is_unknown_ = false;                         // authentication failed
  InFlight::Place place_;
  std::optional<std::chrono::nanoseconds> timeout_;  // the client's
  net::Timer deadline_;                              // used on the reactor's thread only
  std::atomic<bool> answered_ = false;               // later answers are dropped
  documents::Rendering rendering_;
  std::vector<std::string> warnings_;
};

}  // namespace dray::server::http
