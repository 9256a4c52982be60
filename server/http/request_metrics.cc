// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_metrics.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "metrics/registry.h"
#include "net/request_tracker.h"
#include "server/verbs/context/request.h"

namespace dray::server::http {
namespace {

using metrics::Description;
using verbs::Verb;

// Upstream's bounds of the buckets, in seconds and in bytes.
constexpr std::array kSecondsBounds = {0.005, 0.025, 0.05, 0.1,  0.2,  0.4,  0.6, 0.8,
                                       1.0,   1.25,  1.5,  2.0,  3.0,  4.0,  5.0, 6.0,
                                       8.0,   10.0,  15.0, 20.0, 30.0, 45.0, 60.0};
constexpr std::array kSliSecondsBounds = {0.05, 0.1,  0.2,  0.4,  0.6,  0.8,  1.0,
                                          1.25, 1.5,  2.0,  3.0,  4.0,  5.0,  6.0,
                                          8.0,  10.0, 15.0, 20.0, 30.0, 45.0, 60.0};
constexpr std::array kEventBytesBounds = {
    1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0};
constexpr std::array kBytesBounds = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

constexpr Description kRequests{.name = "apiserver_request_total",
                                .help = "Requests that were answered, by what was asked."};
constexpr Description kSeconds{
    .name = "apiserver_request_duration_seconds",
    .help = "From the whole request to the answer, in seconds; watches are not among them."};
// Upstream leaves out time in webhooks and queues. Here the values equal the duration.
constexpr Description kSliSeconds{
    .name = "apiserver_request_sli_duration_seconds",
    .help = "The same, for service level objectives; of requests for resources."};
constexpr Description kBytes{.name = "apiserver_response_sizes",
                             .help = "Bytes of answers' bodies, before encryption."};
constexpr Description kInFlight{.name = "apiserver_current_inflight_requests",
                                .help = "Requests under way, without watches."};
constexpr Description kLong{.name = "apiserver_longrunning_requests", .help = "Open watches."};
constexpr Description kEvents{.name = "apiserver_watch_events_total",
                              .help = "Events that were sent to watches."};

constexpr Description kEventBytes{.name = "apiserver_watch_events_sizes",
                                  .help = "Bytes of events that were sent to watches."};
constexpr Description kTerminations{
    .name = "apiserver_request_terminations_total",
    .help = "Requests that were answered for want of room or time, before they were carried out."};
constexpr Description kRefused{
    .name = "apiserver_flowcontrol_rejected_requests_total",
    .help = "Requests that were refused because their sender has his share of what there is."};
// Kubernetes has no metrics with these meanings.
constexpr Description kOldestAge{
    .name = "dray_apiserver_oldest_request_age_seconds",
    .help = "Age of the oldest request under way, in seconds, without watches that have begun."};
constexpr Description kWaitedForPeer{
    .name = "dray_apiserver_answers_waited_for_peer_total",
    .help = "Answers that were ready before the client took all of their bytes."};
constexpr int kRefusedCode = 429;
constexpr int kTooLate = 504;

std::string_view WordOf(Verb verb, bool is_apply) {
  switch (verb) {
    case Verb::kGet: return "GET";
    case Verb::kList: return "LIST";
    case Verb::kWatch: return "WATCH";
    case Verb::kCreate: return "POST";
    case Verb::kUpdate: return "PUT";
    case Verb::kPatch: return is_apply ? "APPLY" : "PATCH";
    case Verb::kDelete: return "DELETE";
    case Verb::kDeleteCollection: return "DELETECOLLECTION";
  }
  return "other";
}

std::string_view WordOf(std::string_view method) {
  for (const std::string_view known :
       {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return "other";
}

// The path as a label, by the kind of route: the rest of a path is the client's choice.
std::string_view PathOf(const Route& route) {
  switch (route.kind) {
    case RouteKind::kRoot: return "/";
    case RouteKind::kVersion: return "/version";
    case RouteKind::kHealth:
      for (const std::string_view known : {"livez", "readyz"}) {
        if (route.text.starts_with(known)) return known == "livez" ? "/livez" : "/readyz";
      }
      return "/healthz";
    case RouteKind::kMetrics: return "/metrics";
    case RouteKind::kProfile: return "/debug/pprof/profile";
    case RouteKind::kCoreVersions: return "/api";
    case RouteKind::kGroups:
    case RouteKind::kRemote:
    case RouteKind::kRemoteGroup:
    case RouteKind::kGroup: return "/apis";
    case RouteKind::kResourceList: return route.group.empty() ? "/api" : "/apis";
    case RouteKind::kOpenApiV2: return "/openapi/v2";
    case RouteKind::kOpenApiV3: return "/openapi/v3";
    case RouteKind::kOpenIdConfiguration: return "/.well-known/openid-configuration";
    case RouteKind::kOpenIdKeys: return "/openid/v1/jwks";
    case RouteKind::kPage: return "/ui";
    case RouteKind::kPageQuestion: return "/ui/api";
    case RouteKind::kResource:
    case RouteKind::kPlainNotFound:
    case RouteKind::kStatusNotFound:
    case RouteKind::kMethodNotAllowed:
    case RouteKind::kPartNotFound:
    case RouteKind::kVerbNotSupported: return "";
  }
  return "";
}

std::string_view ScopeOf(const Route& route) {
  if (!route.name.empty() || route.verb == Verb::kCreate) return "resource";
  return route.namespace_.empty() ? "cluster" : "namespace";
}

}  // namespace

RequestMetrics::RequestMetrics(metrics::Registry& registry)
    : registry_(registry),
      reads_(registry.GaugeOf(kInFlight, {{"request_kind", "readOnly"}})),
      writes_(registry.GaugeOf(kInFlight, {{"request_kind", "mutating"}})) {}

size_t RequestMetrics::Hash::operator()(const Key& key) const {
  return Hasher()
      .Add(std::hash<const void*>()(key.info))
      .Add(key.verb)
      .Add(key.scope)
      .Add(key.part)
      .Add(static_cast<uint64_t>(key.code) * 2 + (key.is_dry_run ? 1 : 0))
      .value();
}

RequestMetrics::Key RequestMetrics::KeyOf(const RequestFacts& facts) {
  const Route& route = facts.route;
  if (route.kind != RouteKind::kResource) {
    return {.verb = WordOf(facts.method),
            .scope = "",
            .part = std::string(PathOf(route)),
            .code = facts.code};
  }
  return {.info = route.info,
          .verb = WordOf(route.verb, facts.is_apply),
          .scope = ScopeOf(route),
          .part = route.subresource,
          .is_dry_run = facts.is_dry_run,
          .code = facts.code};
}

metrics::Labels RequestMetrics::LabelsOf(const Key& key) {
  const bool is_resource = key.info != nullptr;
  return {{"verb", std::string(key.verb)},
          {"dry_run", key.is_dry_run ? "All" : ""},
          {"group", is_resource ? std::string(key.info->group) : ""},
          {"version", is_resource ? std::string(key.info->version) : ""},
          {"resource", is_resource ? std::string(key.info->plural) : ""},
          {"subresource", key.part},
          {"scope", std::string(key.scope)},
          {"component", "apiserver"}};
}

RequestMetrics::Series RequestMetrics::Make(const Key& key) {
  const metrics::Labels labels = LabelsOf(key);
  metrics::Labels with_code = labels;
  with_code.emplace_back("code", std::to_string(key.code));
  metrics::Labels of_sizes = labels;
  std::erase_if(of_sizes, [](const auto& label) { return label.first == "dry_run"; });
  Series series{.requests = registry_.CounterOf(kRequests, with_code)};
  if (key.verb == WordOf(Verb::kWatch, false)) return series;
  series.seconds = registry_.HistogramOf(kSeconds, kSecondsBounds, labels);
  series.bytes = registry_.HistogramOf(kBytes, kBytesBounds, of_sizes);
  if (key.info != nullptr) {
    series.sli_seconds = registry_.HistogramOf(kSliSeconds, kSliSecondsBounds, of_sizes);
  }
  if (key.code == kRefusedCode || key.code == kTooLate) {
    metrics::Labels of_terminations = with_code;
    std::erase_if(of_terminations, [](const auto& label) { return label.first == "dry_run"; });
    series.terminations = registry_.CounterOf(kTerminations, of_terminations);
  }
  return series;
}

void RequestMetrics::Count(const RequestFacts& facts) {
  const Key key = KeyOf(facts);
  Series series;
  {
    const MutexLock lock(mutex_);
    const auto found = series_.find(key);
    series = found != series_.end() ? found->second : series_.emplace(key, Make(key)).first->second;
  }
  series.requests.Add();
  series.terminations.Add();
  series.seconds.Observe(facts.seconds);
  series.sli_seconds.Observe(facts.seconds);
  series.bytes.Observe(static_cast<double>(facts.answer_bytes));
}

RequestMetrics::OpenWatch RequestMetrics::Open(const Route& route) {
  const std::string group(route.info->group);
  const std::string version(route.info->version);
  const std::string resource(route.info->plural);
  return {registry_.GaugeOf(kLong,
                            {{"verb", "WATCH"},
                             {"group", group},
                             {"version", version},
                             {"resource", resource},
                             {"subresource", ""},
                             {"scope", std::string(ScopeOf(route))},
                             {"component", "apiserver"}}),
          registry_.CounterOf(kEvents,
                              {{"group", group}, {"version", version}, {"resource", resource}}),
          registry_.HistogramOf(kEventBytes,
                                kEventBytesBounds,
                                {{"group", group}, {"version", version}, {"resource", resource}})};
}

void RequestMetrics::CountRefused(const Flow& flow) {
  registry_
      .CounterOf(kRefused,
                 {{"flow_schema", std::string(flow.schema)},
                  {"priority_level", std::string(flow.level)},
                  {"reason", "concurrency-limit"}})
      .Add();
}

void RequestMetrics::SetInFlight(size_t reads, size_t writes) {
  reads_.Set(static_cast<double>(reads));
  writes_.Set(static_cast<double>(writes));
}

void RequestMetrics::SetWaits(const net::RequestWaits& waits) {
  registry_.GaugeOf(kOldestAge).Set(std::chrono::duration<double>(waits.oldest_age).count());
  const metrics::Counter answers = registry_.CounterOf(kWaitedForPeer);
  const MutexLock lock(mutex_);
  // Two readers may arrive here in another order than they read.
  if (waits.answers_waited_for_peer <= answers_waited_) return;
  answers.Add(static_cast<double>(waits.answers_waited_for_peer - answers_waited_));
  answers_waited_ = waits.answers_waited_for_peer;
}

}  // namespace dray::server::http
