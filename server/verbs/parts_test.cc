// SPDX-License-Identifier: Apache-2.0
// Workloads, services and pods through the verbs: defaults, immutable fields, and subresources with
// verbs of their own.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kDeployment = R"({"metadata":{"name":"d"},"spec":{
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"replicas":7}})";
constexpr std::string_view kPod = R"({"metadata":{"name":"p","labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}})";

class PartsTest : public testing::ServerTest {
 protected:
  std::string DoPart(Verb verb,
                     std::string_view plural,
                     std::string_view name,
                     std::string_view part,
                     std::string body = "") {
    ResourceRequest request = Request(verb, plural, "default", name);
    request.subresource = part;
    if (!body.empty()) request.body = std::move(body);
    return Do(std::move(request));
  }
};

/// The resource version in an answer.
std::string VersionIn(std::string_view answer) {
  constexpr std::string_view kName = R"("resourceVersion":")";
  const size_t at = answer.find(kName) + kName.size();
  return std::string(answer.substr(at, answer.find('"', at) - at));
}

TEST_F(PartsTest, ADeploymentBeginsWithDefaultsAndWithoutStatus) {
  const std::string made = Post("deployments", "default", std::string(kDeployment));
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr(R"("generation":1)"));
  EXPECT_THAT(made, HasSubstr(R"("replicas":1)"));
  EXPECT_THAT(made, HasSubstr(R"("rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"})"));
  EXPECT_THAT(made, HasSubstr(R"("restartPolicy":"Always")"));
  EXPECT_THAT(made, HasSubstr(R"("status":{})"));
}

TEST_F(PartsTest, ASelectorMustFitThePods) {
  std::string other(kDeployment);
  other.replace(other.find(R"("a":"b"}},)"), 7, R"("a":"x")");
  EXPECT_THAT(Post("deployments", "default", other),
              HasSubstr("`selector` does not match template `labels`"));
}

TEST_F(PartsTest, ScaleChangesTheSpecAndCounts) {
  Post("deployments", "default", std::string(kDeployment));
  const std::string scale =
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d"},)"
      R"("spec":{"replicas":3}})";
  EXPECT_THAT(DoPart(Verb::kUpdate, "deployments", "d", "scale", scale),
              HasSubstr(R"("spec":{"replicas":3},"status":{"replicas":0,"selector":"a=b"})"));
  EXPECT_THAT(Read("deployments", "default", "d"), HasSubstr(R"("generation":2)"));
  // Upstream's entries of this subresource have no time.
  EXPECT_THAT(Read("deployments", "default", "d"),
              HasSubstr(R"("operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1",)"
                        R"("fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"})"));
  std::string negative = scale;
  negative.replace(negative.find(":3}"), 3, ":-1}");
  EXPECT_THAT(DoPart(Verb::kUpdate, "deployments", "d", "scale", negative),
              HasSubstr("must be greater than or equal to 0"));
  EXPECT_THAT(DoPart(Verb::kGet, "deployments", "missing", "scale"), StartsWith("404 "));
}

TEST_F(PartsTest, ReviewsAreAnsweredAndNotStored) {
  const std::string asked = R"({"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}})";
  EXPECT_THAT(Post("selfsubjectaccessreviews", "", asked),
              HasSubstr(R"("status":{"allowed":true})"));
  EXPECT_THAT(Post("selfsubjectaccessreviews", "", "{}"),
              HasSubstr("exactly one of nonResourceAttributes or resourceAttributes must be"));
  EXPECT_THAT(
      Post("selfsubjectrulesreviews", "", R"({"spec":{"namespace":"default"}})"),
      HasSubstr(R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}])"));
  EXPECT_THAT(Post("selfsubjectrulesreviews", "", "{}"), HasSubstr("no namespace on request"));
  EXPECT_THAT(Post("tokenreviews", "", R"({"spec":{"token":"of nobody"}})"),
              HasSubstr(R"("error":"invalid bearer token")"));
  EXPECT_THAT(Post("tokenreviews", "", "{}"), HasSubstr("token is required"));
  EXPECT_THAT(Post("selfsubjectreviews", "", "{}"), HasSubstr(R"("status":{"userInfo":{)"));
}

TEST_F(PartsTest, WhatOnlyANodeCouldAnswerIsRefused) {
  Post("pods", "default", std::string(kPod));
  for (const std::string_view part : {"log", "exec", "attach", "portforward", "proxy"}) {
    EXPECT_THAT(DoPart(Verb::kGet, "pods", "p", part), HasSubstr("nodes are simulated")) << part;
    EXPECT_THAT(DoPart(Verb::kGet, "pods", "missing", part), StartsWith("404 ")) << part;
  }
}

TEST_F(PartsTest, AnEvictionAsksTheBudgetsThatCountThePod) {
  Post("pods", "default", std::string(kPod));
  const std::string eviction =
      R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"}})";
  const std::string running =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},"status":)"
      R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";
  EXPECT_THAT(DoPart(Verb::kUpdate, "pods", "p", "status", running), StartsWith("200 "));
  const std::string budget = R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,)"
                             R"("selector":{"matchLabels":{"a":"b"}}}})";
  EXPECT_THAT(Post("poddisruptionbudgets", "default", budget), StartsWith("201 "));
  EXPECT_THAT(DoPart(Verb::kCreate, "pods", "p", "eviction", eviction), StartsWith("429 "));
  Delete("poddisruptionbudgets", "default", "b");
  EXPECT_THAT(DoPart(Verb::kCreate, "pods", "p", "eviction", eviction), StartsWith("201 "));
  EXPECT_THAT(Read("pods", "default", "p"), StartsWith("404 "));
}

// Clients repeat a refused eviction by themselves after the seconds that the answer names.
TEST_F(PartsTest, ARefusedEvictionSaysWhyAndWhetherToTryAgain) {
  Post("pods", "default", std::string(kPod));
  EXPECT_THAT(
      DoPart(Verb::kUpdate,
             "pods",
             "p",
             "status",
             R"({"metadata":{"name":"p","labels":{"a":"b"}},"status":{"phase":"Running"}})"),
      StartsWith("200 "));
  Post("poddisruptionbudgets",
       "default",
       R"({"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"a":"b"}}}})");
  struct Row {
    std::string_view status, why;
    int32_t retry_seconds = 0;
  };
  constexpr std::string_view kFalse =
      R"("conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed",)"
      R"("message":"no scale","lastTransitionTime":"2026-01-01T00:00:00Z"}])";
  const std::string failed = fmt::format(R"("observedGeneration":1,{})", kFalse);
  for (const Row& row :
       {Row{"", "The disruption budget b is still being processed by the server.", 10},
        Row{R"("observedGeneration":1,"desiredHealthy":2,"currentHealthy":1)",
            "The disruption budget b needs 2 healthy pods and has 1 currently"},
        Row{R"("observedGeneration":1,"currentHealthy":1)",
            "The disruption budget b does not allow evicting pods currently"},
        Row{failed,
            "The disruption budget b does not allow evicting pods currently because it failed "
            "sync: "
            "no scale"}}) {
    const std::string status =
        fmt::format(R"({{"metadata":{{"name":"b","resourceVersion":"{}"}},"status":{{{}}}}})",
                    VersionIn(Read("poddisruptionbudgets", "default", "b")),
                    row.status);
    EXPECT_THAT(DoPart(Verb::kUpdate, "poddisruptionbudgets", "b", "status", status),
                StartsWith("200 "));
    ResourceRequest request = Request(Verb::kCreate, "pods", "default", "p");
    request.subresource = "eviction";
    request.body = R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"}})";
    const Answer answer = Ask(std::move(request));
    ASSERT_FALSE(answer.outcome.has_value()) << row.why;
    const api::meta_v1::Status refusal = api::StatusOf(answer.outcome.error());
    EXPECT_EQ(refusal.code, 429);
    EXPECT_EQ(refusal.details->causes.at(0).message, row.why);
    EXPECT_EQ(refusal.details->retry_after_seconds, row.retry_seconds);
  }
}

TEST_F(PartsTest, AnEvictedPodThatIsHeldSaysWhyItGoes) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p","finalizers":["a.example/b"]},
           "spec":{"containers":[{"name":"c","image":"i"}]}})");
  const std::string eviction =
      R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"}})";
  EXPECT_THAT(DoPart(Verb::kCreate, "pods", "p", "eviction", eviction), StartsWith("201 "));
  EXPECT_THAT(Read("pods", "default", "p"), HasSubstr(R"("type":"DisruptionTarget")"));
}

TEST_F(PartsTest, AServiceGetsAnAddressAndKeepsIt) {
  const std::string made =
      Post("services", "default", R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})");
  EXPECT_THAT(made, HasSubstr(R"("clusterIP":"10.)"));
  EXPECT_THAT(made, HasSubstr(R"("protocol":"TCP","port":80,"targetPort":80)"));
  const std::string changed =
      Put("services",
          "default",
          "s",
          R"({"metadata":{"name":"s"},"spec":{"clusterIP":"10.9.9.9","ports":[{"port":80}]}})");
  EXPECT_THAT(changed, HasSubstr("may not change once set"));
}

TEST_F(PartsTest, EventsHaveTwoFaces) {
  EXPECT_THAT(
      Post("v1/events",
           "default",
           R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default"},)"
           R"("message":"hello","source":{"component":"c"}})"),
      StartsWith("201 "));
  ResourceRequest request = Request(Verb::kGet, "events", "default", "e");
  for (const api::KindInfo* kind : scheme_.kinds()) {
    if (kind->group == "events.k8s.io") request.kind = kind;
  }
  const std::string seen = Do(std::move(request));
  EXPECT_THAT(seen, HasSubstr(R"("note":"hello")"));
  EXPECT_THAT(seen, HasSubstr(R"("deprecatedSource":{"component":"c"})"));
}

TEST_F(PartsTest, AClusterIsBootstrappedOnceAndFollowsItsPort) {
  ASSERT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 6443)).has_value());
  const std::string version = VersionOf("endpoints", "default", "kubernetes");
  ASSERT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 6443)).has_value());
  EXPECT_EQ(VersionOf("endpoints", "default", "kubernetes"), version);
  ASSERT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 6444)).has_value());
  EXPECT_THAT(Read("endpointslices", "default", "kubernetes"), HasSubstr(R"("port":6444)"));
  EXPECT_THAT(Read("services", "default", "kubernetes"), HasSubstr(R"("clusterIP":"10.0.0.1")"));
  EXPECT_THAT(Delete("priorityclasses", "", "system-node-critical"), StartsWith("403 "));
}

}  // namespace
}  // namespace dray::server::verbs
