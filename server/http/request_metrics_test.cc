// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_metrics.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "base/log.h"
#include "base/task.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "net/client/http_client.h"
#include "net/request_tracker.h"
#include "net/server/http_server.h"
#include "server/http/authentication.h"
#include "server/http/http_api.h"
#include "server/http/object_metrics.h"
#include "server/http/router.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kMeasuredClaims = "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims";

class RequestMetricsTest : public ::testing::Test {
 protected:
  Route To(std::string_view method, std::string_view path, bool watch = false) {
    return *FindRoute(scheme_, method, path, watch);
  }
  void Count(std::string_view method, std::string_view path, int code) {
    metrics_.Count({.route = To(method, path), .method = method, .code = code, .seconds = 0.01});
  }

  api::Scheme scheme_;
  metrics::Registry registry_;
  RequestMetrics metrics_{registry_};
};

struct Counted {
  const char* method;
  std::string path;
  const char* labels;
};

TEST_F(RequestMetricsTest, LabelsAreUpstreams) {
  const std::string claims(kMeasuredClaims);
  const Counted cases[] = {
      {"GET", claims + "/c", R"(scope="resource",subresource="",verb="GET",version="v1")"},
      {"GET", claims, R"(scope="namespace",subresource="",verb="LIST",version="v1")"},
      {"GET",
       "/apis/resource.k8s.io/v1/resourceclaims",
       R"(scope="cluster",subresource="",verb="LIST",version="v1")"},
      {"POST", claims, R"(scope="resource",subresource="",verb="POST",version="v1")"},
      {"PATCH",
       claims + "/c/status",
       R"(scope="resource",subresource="status",verb="PATCH",version="v1")"},
      {"DELETE",
       claims,
       R"(scope="namespace",subresource="",verb="DELETECOLLECTION",version="v1")"},
      {"GET", "/readyz/ping", R"(scope="",subresource="/readyz",verb="GET",version="")"},
      {"BREW", "/made/up", R"(scope="",subresource="",verb="other",version="")"},
      {"GET", "/apis/made.up/v1/things", R"(scope="",subresource="",verb="GET",version="")"},
  };
  for (const Counted& each : cases) {
    Count(each.method, each.path, 200);
    EXPECT_THAT(registry_.Text(), HasSubstr(std::string(each.labels) + "} 1\n")) << each.path;
  }
}

TEST_F(RequestMetricsTest, DryRunAndApplyAreLabels) {
  const Route route = To("PATCH", std::string(kMeasuredClaims) + "/c");
  metrics_.Count(
      {.route = route, .method = "PATCH", .is_apply = true, .is_dry_run = true, .code = 201});
  EXPECT_THAT(registry_.Text(),
              HasSubstr(R"(apiserver_request_total{code="201",component="apiserver",dry_run="All",)"
                        R"(group="resource.k8s.io",resource="resourceclaims",scope="resource",)"
                        R"(subresource="",verb="APPLY",version="v1"} 1)"));
}

TEST_F(RequestMetricsTest, WhatClientsMakeUpMakesNoSeries) {
  Count("GET", "/made/up", 404);
  const size_t size = registry_.Text().size();
  for (int i = 0; i < 10; ++i) {
    Count("GET", "/made/up" + std::to_string(i), 404);
    Count("GET", "/apis/g" + std::to_string(i) + "/v1/x", 404);
    Count("GET", "/livez/" + std::to_string(i), 404);
  }
  // The series of health is new, and numbers have one more digit.
  EXPECT_LT(registry_.Text().size(), 2 * size + 2000);
  EXPECT_THAT(registry_.Text(), HasSubstr("} 21\n"));
}

TEST_F(RequestMetricsTest, WatchesAreOpenUntilTheyEnd) {
  constexpr const char* kOpen = R"(apiserver_longrunning_requests{component="apiserver",)"
                                R"(group="resource.k8s.io",resource="resourceclaims",)"
                                R"(scope="namespace",subresource="",verb="WATCH",version="v1"} )";
  const Route route = To("GET", kMeasuredClaims, true);
  {
    const RequestMetrics::OpenWatch first = metrics_.Open(route);
    RequestMetrics::OpenWatch second = metrics_.Open(route);
    const RequestMetrics::OpenWatch moved = std::move(second);
    moved.CountEvent(1500);
    EXPECT_THAT(registry_.Text(), HasSubstr(std::string(kOpen) + "2\n"));
  }
  EXPECT_THAT(registry_.Text(), HasSubstr(std::string(kOpen) + "0\n"));
  EXPECT_THAT(registry_.Text(), HasSubstr(R"(resource="resourceclaims",version="v1"} 1)"));
  EXPECT_THAT(registry_.Text(),
              HasSubstr(R"(apiserver_watch_events_sizes_bucket{group="resource.k8s.io",)"
                        R"(resource="resourceclaims",version="v1",le="2048"} 1)"));
  metrics_.Count({.route = route, .method = "GET", .code = 200, .seconds = 100});
  EXPECT_THAT(registry_.Text(), Not(HasSubstr("apiserver_request_duration_seconds_bucket")));
}

TEST_F(RequestMetricsTest, ObjectivesAreAboutResourcesAndTerminationsAboutWantOfRoom) {
  Count("GET", std::string(kMeasuredClaims) + "/c", 429);
  Count("GET", "/readyz", 504);
  const std::string text = registry_.Text();
  EXPECT_THAT(text,
              HasSubstr(R"(apiserver_request_sli_duration_seconds_count{component="apiserver",)"
                        R"(group="resource.k8s.io",resource="resourceclaims",scope="resource",)"
                        R"(subresource="",verb="GET",version="v1"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr(R"(sli_duration_seconds_count{component="apiserver",group="")")));
  EXPECT_THAT(text,
              HasSubstr(R"(apiserver_request_terminations_total{code="429",component="apiserver",)"
                        R"(group="resource.k8s.io",resource="resourceclaims")"));
}

TEST_F(RequestMetricsTest, WaitsAreAGaugeAndACounter) {
  const auto text_after = [&](std::chrono::milliseconds age, uint64_t answers) {
    metrics_.SetWaits({.oldest_age = age, .answers_waited_for_peer = answers});
    return registry_.Text();
  };
  constexpr const char* kAge = "\ndray_apiserver_oldest_request_age_seconds ";
  constexpr const char* kAnswers = "\ndray_apiserver_answers_waited_for_peer_total ";
  using std::chrono::milliseconds;
  EXPECT_THAT(
      text_after(milliseconds(12'500), 3),
      AllOf(HasSubstr(std::string(kAge) + "12.5\n"), HasSubstr(std::string(kAnswers) + "3\n")));
  EXPECT_THAT(
      text_after(milliseconds(0), 5),
      AllOf(HasSubstr(std::string(kAge) + "0\n"), HasSubstr(std::string(kAnswers) + "5\n")));
  EXPECT_THAT(text_after(milliseconds(0), 4), HasSubstr(std::string(kAnswers) + "5\n"))
      << "a counter never goes back";
}

TEST(ObjectMetrics, HaveBothNames) {
  metrics::Registry registry;
  ObjectMetrics objects(registry);
  const api::Scheme scheme;
  const api::KindInfo* claim = FindRoute(scheme, "GET", kMeasuredClaims, false)->info;
  objects.Set({{.kind = claim, .objects = 3}});
  objects.Set({{.kind = claim, .objects = 2}});
  const std::string text = registry.Text();
  EXPECT_THAT(
      text, HasSubstr(R"(apiserver_storage_objects{resource="resourceclaims.resource.k8s.io"} 2)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(apiserver_resource_objects{group="resource.k8s.io",resource="resourceclaims"} 2)"));
}

class MetricsRouteTest : public ::testing::Test {
 protected:
  MetricsRouteTest()
      : resources_(scheme_, store_, RealWorld(), Log::Silent(), {}),
        api_(resources_,
             RealWorld(),
             Log::Silent(),
             {.authenticator = *Authenticator::FromTokenFile("secret,admin,u1,\"system:masters\""),
              .request_waits = [this] { return waits_; }}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    server_ = *net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 1}, api_);
  }
  ~MetricsRouteTest() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_.Drain();
    server_.reset();
  }
  /// The answer to the user of `token`: "200 …".
  std::string Do(std::string_view method, std::string_view path, std::string token = "secret") {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = std::move(token)});
    const auto answer = client.Send({.method = std::string(method), .target = std::string(path)});
    return answer.has_value() ? std::to_string(answer->status) + " " + answer->body
                              : answer.error().message;
  }

  api::Scheme scheme_;
  store::MemoryStore store_;
  Log log_ = Log::Silent();
  verbs::Resources resources_;
  const net::RequestWaits waits_{.oldest_age = std::chrono::seconds(7)};
  HttpApi api_;
  std::unique_ptr<net::server::HttpServer> server_;
};

TEST_F(MetricsRouteTest, CountsWhatWasAsked) {
  Do("GET", std::string(kMeasuredClaims) + "/none");
  Do("GET", "/livez");
  const std::string text = Do("GET", "/metrics");
  EXPECT_THAT(text,
              AllOf(StartsWith("200 # HELP "),
                    HasSubstr("apiserver_request_total{code=\"404\""),
                    HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} "),
                    HasSubstr("apiserver_storage_objects{resource=\"namespaces\"} 4\n"),
                    HasSubstr("\ndray_apiserver_oldest_request_age_seconds 7\n"),
                    HasSubstr("\nprocess_open_fds "),
                    Not(HasSubstr("\nprocess_open_fds 0\n")),
                    Not(HasSubstr("\nprocess_resident_memory_bytes 0\n"))));
}

TEST_F(MetricsRouteTest, IsNotForEverybody) {
  EXPECT_THAT(Do("POST", "/metrics"), StartsWith("405 "));
  EXPECT_THAT(Do("GET", "/metrics", ""), StartsWith("403 "));
}

}  // namespace
}  // namespace dray::server::http
