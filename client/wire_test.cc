// SPDX-License-Identifier: Apache-2.0
#include "client/wire.h"

#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/status.h"
#include "base/simulated_world.h"
#include "client/kubeconfig.h"
#include "client/outcome.h"

namespace dray::client {
namespace {

constexpr const api::KindInfo& kClaims = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
constexpr const api::KindInfo& kNodes = api::Reflected<api::core_v1::Node>::kKind;

TEST(PathOf, FollowsGroupScopeAndSubresource) {
  EXPECT_EQ(PathOf({.kind = &kNodes, .name = "a"}, {}), "/api/v1/nodes/a");
  EXPECT_EQ(PathOf({.kind = &kClaims}, {}), "/apis/resource.k8s.io/v1/resourceclaims");
  EXPECT_EQ(PathOf({.kind = &kClaims, .namespace_ = "lab", .name = "gpu/1"}, "status"),
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/gpu%2F1/status");
}

TEST(QueryOf, EncodesSelectors) {
  EXPECT_EQ(QueryOf({}), "");
  EXPECT_EQ(QueryOf({.label_selector = "a=b", .field_selector = "spec.nodeName=n"}),
            "?labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn");
}

TEST(ErrorOf, ReadsAStatusWithItsDetails) {
  const Error error = ErrorOf(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure",
    "message":"changed","reason":"Conflict","details":{"name":"gpu","kind":"resourceclaims"},"code":409})");
  EXPECT_EQ(error.reason, StatusReason::kConflict);
  EXPECT_EQ(error.message, "changed");
  ASSERT_NE(api::DetailsOf(error), nullptr);
  EXPECT_EQ(api::DetailsOf(error)->name, "gpu");
}

TEST(ErrorOf, GuessesFromTheCodeWhenTheBodyIsNoStatus) {
  EXPECT_EQ(ErrorOf(404, "page not found").reason, StatusReason::kNotFound);
  EXPECT_EQ(ErrorOf(404, "page not found").message, "HTTP 404: page not found");
  EXPECT_EQ(ErrorOf(418, "").reason, StatusReason::kUnknown);
}

TEST(DecodeObject, SaysOfABrokenAnswerThatItIsNoRefusal) {
  EXPECT_EQ(DecodeObject(kNodes, R"({"metadata":{"name":"a"}})")->metadata().name, "a");
  for (const char* bad : {"", "[]", R"({"metadata")", R"({"metadata":{"generation":"x"}})"}) {
    const auto answer = DecodeObject(kNodes, bad);
    ASSERT_FALSE(answer.has_value()) << bad;
    EXPECT_TRUE(MayBeCarriedOut(answer.error())) << bad;
  }
}

TEST(DecodeList, ReadsItemsAndVersionInAnyOrder) {
  const auto list = DecodeList(kNodes, R"({"items":[{"metadata":{"name":"a"}},
    {"metadata":{"name":"b"}}],"metadata":{"resourceVersion":"7"}})");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ(list->resource_version, "7");
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[1].metadata().name, "b");
  EXPECT_TRUE(
      DecodeList(kNodes, R"({"metadata":{"resourceVersion":"7"},"items":null})")->items.empty());
}

TEST(DecodeList, RefusesWhatIsNoList) {
  for (const char* bad : {"",
                          "[]",
                          "{}",
                          R"({"metadata":{"resourceVersion":"7"},"items":7})",
                          R"({"metadata":{"resourceVersion":"7"},"items":[7]})",
                          R"({"metadata")"}) {
    EXPECT_FALSE(DecodeList(kNodes, bad).has_value()) << bad;
  }
}

TEST(DecodeWatchLine, ReadsEventsAndErrors) {
  const auto event =
      DecodeWatchLine(kNodes, R"({"type":"MODIFIED","object":{"metadata":{"name":"a"}}})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, WatchEventType::kModified);
  EXPECT_EQ(event->object.metadata().name, "a");
  const auto expired = DecodeWatchLine(
      kNodes,
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","reason":"Expired"}})");
  ASSERT_FALSE(expired.has_value());
  EXPECT_EQ(expired.error().reason, StatusReason::kExpired);
  for (const char* bad : {"", "{}", R"({"type":"NEWS","object":{}})", R"({"type":"ADDED"})"}) {
    EXPECT_FALSE(DecodeWatchLine(kNodes, bad).has_value()) << bad;
  }
}

constexpr const char* kConfig = R"(apiVersion: v1
kind: Config
current-context: lab
contexts:
- name: lab
  context: {cluster: here, user: me, namespace: lab}
- name: nobody
  context: {cluster: here}
- name: broken
  context: {cluster: there, user: me}
clusters:
- name: here
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Q0E=
users:
- name: me
  user:
    client-certificate: me.crt
    client-key-data: S0VZ
    token: secret
)";

class KubeconfigTest : public ::testing::Test {
 protected:
  Result<ClusterAccess> Parse(std::string_view context, std::string_view text = kConfig) {
    return ParseKubeconfig(text, context, "/etc/lab", world_.disk());
  }
  SimulatedWorld world_{1};
};

TEST_F(KubeconfigTest, ReadsTheCurrentContextWithItsFiles) {
  ASSERT_TRUE(world_.disk().Write("/etc/lab/me.crt", "CERT", Disk::Privacy::kEverybody));
  const auto access = Parse("");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->server, "https://127.0.0.1:6443");
  EXPECT_EQ(access->ca_pem, "CA");
  EXPECT_EQ(access->certificate_pem, "CERT");
  EXPECT_EQ(access->key_pem, "KEY");
  EXPECT_EQ(access->token, "secret");
  EXPECT_EQ(access->namespace_, "lab");
  EXPECT_FALSE(access->skip_verification);
}

TEST_F(KubeconfigTest, ContextWithoutUserIsAnonymous) {
  EXPECT_EQ(Parse("nobody")->token, "");
}

TEST_F(KubeconfigTest, SaysWhatIsWrong) {
  const struct {
    const char* context;
    const char* text;
    const char* want;
  } cases[] = {
      {"", kConfig, "me.crt"},
      {"other", kConfig, "kubeconfig: contexts has no \"other\""},
      {"broken", kConfig, "kubeconfig: clusters has no \"there\""},
      {"", "{}", "kubeconfig: no context given and no current-context"},
      {"", "current-context: [1]", "kubeconfig: current-context is not a string"},
      {"", "a: b: c", "yaml"},
  };
  for (const auto& test : cases) {
    const auto access = Parse(test.context, test.text);
    ASSERT_FALSE(access.has_value()) << test.want;
    EXPECT_NE(access.error().message.find(test.want), std::string::npos) << access.error().message;
  }
}

}  // namespace
}  // namespace dray::client
