// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/review.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/status.h"
#include "base/text/base64.h"

namespace dray::server::webhooks {
namespace {

using net::client::ClientResponse;

constexpr std::string_view kUid = "u-1";

const api::KindInfo& ConfigMaps() {
  return api::Reflected<api::core_v1::ConfigMap>::kKind;
}

ClientResponse Answer(std::string body, int status = 200) {
  ClientResponse response{.status = status, .body = std::move(body)};
  response.headers.Add("Content-Type", "application/json");
  return response;
}

std::string Review(std::string_view response, std::string_view version = "v1") {
  return fmt::format(
      R"({{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/{}","response":{}}})",
      version,
      response);
}

/// "allowed", "refused", with the patch; or what is wrong.
std::string Read(ClientResponse answer,
                 Purpose purpose = Purpose::kValidate,
                 ReviewVersion version = ReviewVersion::kV1) {
  const auto decision = ReadAnswer(std::move(answer), version, kUid, purpose);
  if (!decision.has_value()) return decision.error();
  const std::string word = decision->is_allowed ? "allowed" : "refused";
  return decision->patch.empty() ? word : word + " " + decision->patch;
}

TEST(Review, SaysWhatIsAskedAndOfWhom) {
  const access::User user{.name = "jane", .uid = "7", .groups = {"dev"}};
  const policies::AdmissionRequest request{
      .operation = policies::Operation::kUpdate,
      .resource = &ConfigMaps(),
      .kind = &ConfigMaps(),
      .subresource = "status",
      .name = "a",
      .namespace_ = "ns",
      .user = &user,
      .dry_run = true,
      .options = R"({"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"})"};
  const policies::Match match{.resource = &ConfigMaps(), .kind = &ConfigMaps()};
  EXPECT_EQ(
      ReviewText(ReviewVersion::kV1, kUid, request, match, {.object = R"({"x":1})"}),
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)"
      R"("kind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("resource":{"group":"","version":"v1","resource":"configmaps"},)"
      R"("subResource":"status",)"
      R"("requestKind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("requestResource":{"group":"","version":"v1","resource":"configmaps"},)"
      R"("requestSubResource":"status","name":"a","namespace":"ns","operation":"UPDATE",)"
      R"("userInfo":{"username":"jane","uid":"7","groups":["dev"]},)"
      R"("object":{"x":1},"oldObject":null,"dryRun":true,)"
      R"("options":{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"}}})"
      "\n");
}

TEST(Review, AnswersAreChecked) {
  struct Case {
    const char* name;
    std::string body, expected;
  };
  const Case cases[] = {
      {"Allowed", Review(R"({"uid":"u-1","allowed":true})"), "allowed"},
      {"NothingSaid", Review(R"({"uid":"u-1"})"), "refused"},
      {"UnknownMembers", Review(R"({"uid":"u-1","allowed":true,"x":1})"), "allowed"},
      {"AsYaml",
       "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse: {uid: u-1, allowed: "
       "true}\n",
       "allowed"},
      {"Empty",
       "",
       "failed to call webhook: 0-length response with status code: 200 and content type: "
       "application/json"},
      {"NoResponse",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
       "received invalid webhook response: webhook response was absent"},
      {"NoMembers", "{}", "received invalid webhook response: webhook response was absent"},
      {"OtherUid",
       Review(R"({"uid":"u-2","allowed":true})"),
       R"(received invalid webhook response: expected response.uid="u-1", got "u-2")"},
      {"OtherVersion",
       Review(R"({"uid":"u-1","allowed":true})", "v1beta1"),
       "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): "
       "unknown conversion"},
      {"UnknownVersion",
       Review(R"({"uid":"u-1","allowed":true})", "v9"),
       R"(failed to call webhook: no kind "AdmissionReview" is registered for version )"
       R"("admission.k8s.io/v9" in scheme "pkg/runtime/scheme.go:111")"},
      {"NoKind",
       R"({"response":{"uid":"u-1","allowed":true}})",
       "received invalid webhook response: expected webhook response of admission.k8s.io/v1, "
       "Kind=AdmissionReview, got /, Kind="},
      {"WrongType",
       Review(R"({"uid":"u-1","allowed":"yes"})"),
       "failed to call webhook: json: cannot unmarshal string into Go struct field "
       "AdmissionReview.response.allowed of type bool"},
      {"PatchOfValidatingWebhook",
       Review(R"({"uid":"u-1","allowed":true,"patchType":"JSONPatch","patch":"W10="})"),
       "received invalid webhook response: validating webhook may not return response.patch"},
  };
  for (const Case& one : cases) EXPECT_EQ(Read(Answer(one.body)), one.expected) << one.name;
}

TEST(Review, PatchesNeedTheirType) {
  const auto read = [](std::string_view response) {
    return Read(Answer(Review(response)), Purpose::kMutate);
  };
  EXPECT_EQ(read(R"({"uid":"u-1","allowed":true,"patchType":"JSONPatch","patch":"W10="})"),
            "allowed []");
  EXPECT_EQ(read(R"({"uid":"u-1","allowed":true,"patch":"W10="})"),
            "received invalid webhook response: webhook returned response.patch but not "
            "response.patchType");
  EXPECT_EQ(read(R"({"uid":"u-1","allowed":true,"patchType":"JSONPatch"})"),
            "received invalid webhook response: webhook returned response.patchType but not "
            "response.patch");
  EXPECT_EQ(
      read(R"({"uid":"u-1","allowed":true,"patchType":"","patch":"W10="})"),
      R"(received invalid webhook response: webhook returned invalid response.patchType of "")");
}

TEST(Review, OldAnswersNeedLittle) {
  const auto read = [](std::string body) {
    return Read(Answer(std::move(body)), Purpose::kMutate, ReviewVersion::kV1beta1);
  };
  EXPECT_EQ(read(R"({"response":{"allowed":true,"patch":"W10="}})"), "allowed []");
  EXPECT_EQ(read(Review(R"({"allowed":true})", "v1")),
            "failed to call webhook: converting (v1.AdmissionReview) to "
            "(v1beta1.AdmissionReview): unknown conversion");
}

TEST(Review, StatusesAreExplained) {
  const auto read = [](int status) { return Read(Answer("{}", status)); };
  EXPECT_EQ(read(500),
            R"(failed to call webhook: an error on the server ("unknown") has prevented the )"
            "request from succeeding");
  EXPECT_EQ(read(404), "failed to call webhook: the server could not find the requested resource");
  EXPECT_EQ(read(302), read(404));  // a redirect is not followed
  EXPECT_EQ(read(418),
            "failed to call webhook: the server responded with the status code 418 but did not "
            "return more details");
  ClientResponse text{.status = 503, .body = " down \n"};
  EXPECT_EQ(Read(text),
            "failed to call webhook: the server is currently unable to handle the request");
}

TEST(Review, DenialsKeepWhatTheWebhookSays) {
  const auto deny = [](api::Maybe<api::meta_v1::Status> status) {
    const api::meta_v1::Status shown = api::StatusOf(DenialOf("w.x.test", std::move(status)));
    return fmt::format("{} {} {}", shown.code, shown.reason, shown.message);
  };
  api::meta_v1::Status said;
  said.code = 418;
  said.reason = "Teapot";
  EXPECT_EQ(deny(said), R"(418 Teapot admission webhook "w.x.test" denied the request: Teapot)");
  said.message = "no coffee";
  EXPECT_EQ(deny(said), R"(418 Teapot admission webhook "w.x.test" denied the request: no coffee)");
  said.code = 200;
  EXPECT_EQ(deny(said), R"(400 Teapot admission webhook "w.x.test" denied the request: no coffee)");
  said.code = 600;
  EXPECT_EQ(deny(said), R"(400 Teapot admission webhook "w.x.test" denied the request: no coffee)");
  EXPECT_EQ(deny(std::nullopt),
            R"(400  admission webhook "w.x.test" denied the request without explanation)");
}

}  // namespace
}  // namespace dray::server::webhooks
