// SPDX-License-Identifier: Apache-2.0
#include "server/http/state_metrics.h"

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/kind.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StateMetricsTest : public ::testing::Test {
 protected:
  StateMetricsTest() : resources_(scheme_, store_, world_.world(), Log::Silent(), {}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  }

  /// Stores an object as it is.
  void Put(std::string_view api_version, std::string_view kind, std::string_view json) {
    const api::KindInfo& info = *scheme_.FindKind(api_version, kind);
    auto decoded = api::DecodeJson(info, json, nullptr);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
    if (decoded->metadata().uid.empty()) decoded->mutable_metadata().uid = "u";
    const std::string key =
        storage::ObjectKey(info, decoded->metadata().namespace_, decoded->metadata().name);
    store::Txn txn;
    txn.operations.emplace_back(
        store::Put{.key = key, .value = storage::ValueOf(storage::MakeStored(*decoded))});
    ASSERT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  }
  void PutClaim(std::string_view name, std::string_view status) {
    Put("resource.k8s.io/v1",
        "ResourceClaim",
        fmt::format(R"({{"metadata":{{"name":"{}","namespace":"lab","creationTimestamp":)"
                    R"("1970-01-01T00:01:00Z"}},"spec":{{"devices":{{}}}},"status":{}}})",
                    name,
                    status));
  }
  std::string Text(size_t series_max = kStateSeriesMax) {
    const auto text = StateMetricsText(resources_, nullptr, series_max);
    return text ? *text : text.error().message;
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  verbs::Resources resources_;
};

TEST_F(StateMetricsTest, AClaimHasItsUsersAndDevices) {
  PutClaim("waits", "{}");
  PutClaim("used",
           R"({"reservedFor":[{"resource":"pods","name":"p","uid":"u"}],"allocation":{"devices":)"
           R"({"results":[{"request":"r","driver":"d","pool":"n","device":"x","shareID":"1"},)"
           R"({"request":"r","driver":"d","pool":"n","device":"x","shareID":"2"}]}}})");
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr("# TYPE kube_resourceclaim_info gauge\n"
                      "kube_resourceclaim_info{namespace=\"lab\",resourceclaim=\"used\"} 1\n"
                      "kube_resourceclaim_info{namespace=\"lab\",resourceclaim=\"waits\"} 1\n#"),
            HasSubstr("kube_resourceclaim_created{namespace=\"lab\",resourceclaim=\"used\"} 60\n"),
            HasSubstr("_status_allocated{namespace=\"lab\",resourceclaim=\"used\"} 1\n"),
            HasSubstr("_status_allocated{namespace=\"lab\",resourceclaim=\"waits\"} 0\n"),
            HasSubstr("kube_resourceclaim_status_reserved_for{namespace=\"lab\",resourceclaim="
                      "\"used\",consumer_apigroup=\"\",consumer_resource=\"pods\",consumer_name="
                      "\"p\",consumer_uid=\"u\"} 1\n#"),
            HasSubstr("gauge\nkube_resourceclaim_allocation_device_info{namespace=\"lab\","
                      "resourceclaim=\"used\",request=\"r\",driver=\"d\",pool=\"n\",device=\"x\"} "
                      "1\n#")));
}

TEST_F(StateMetricsTest, SlicesClassesAndPodsHaveTheirs) {
  Put("resource.k8s.io/v1",
      "ResourceSlice",
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p",)"
      R"("generation":1,"resourceSliceCount":1},"devices":[{"name":"x"},{"name":"y"}]}})");
  Put("resource.k8s.io/v1",
      "DeviceClass",
      R"({"metadata":{"name":"c"},"spec":{"extendedResourceName":"example.com/gpu"}})");
  Put("v1",
      "Pod",
      R"({"metadata":{"name":"p","namespace":"lab","uid":"u"},"spec":{"containers":[],)"
      R"("resourceClaims":[{"name":"a","resourceClaimName":"b"},)"
      R"({"name":"c","resourceClaimTemplateName":"t"},)"
      R"({"name":"e","resourceClaimTemplateName":"t"}]},)"
      R"("status":{"resourceClaimStatuses":[{"name":"c","resourceClaimName":"made"}]}})");
  const std::string pod = R"(kube_pod_resourceclaim_info{namespace="lab",pod="p",uid="u",)";
  EXPECT_THAT(
      Text(),
      AllOf(
          HasSubstr("kube_resourceslice_info{resourceslice=\"s\",driver=\"d\",pool_name=\"p\","
                    "node_name=\"n\",all_nodes=\"false\"} 1\n"),
          HasSubstr("kube_resourceslice_devices_total{resourceslice=\"s\",driver=\"d\",pool_name="
                    "\"p\",node_name=\"n\"} 2\n"),
          HasSubstr("node_name=\"n\",device_name=\"y\"} 1\n"),
          HasSubstr("kube_deviceclass_info{deviceclass=\"c\",extended_resource_name=\"example.com/"
                    "gpu\"} 1\n"),
          HasSubstr(pod +
                    R"(claim_name="a",resourceclaim_name="b",resourceclaim_template_name=""})"),
          HasSubstr(pod +
                    R"(claim_name="c",resourceclaim_name="made",resourceclaim_template_name="t"})"),
          HasSubstr(pod +
                    R"(claim_name="e",resourceclaim_name="",resourceclaim_template_name="t"})"),
          HasSubstr("dray_state_metrics_left_out_series 0\n")));
}

TEST_F(StateMetricsTest, AnAnswerHasSoManySeries) {
  PutClaim("a", "{}");
  PutClaim("b", "{}");  // three series each
  EXPECT_THAT(Text(6), AllOf(HasSubstr("left_out_series 0\n"), HasSubstr("resourceclaim=\"b\"")));
  EXPECT_THAT(Text(5), HasSubstr("left_out_series 1\n"));
  EXPECT_THAT(Text(0), AllOf(HasSubstr("left_out_series 6\n"), Not(HasSubstr("resourceclaim=\""))));
}

TEST_F(StateMetricsTest, PagesAreReadUpToTheLast) {
  constexpr int kClaims = 1001;  // two pages, and one more claim
  for (int i = 0; i < kClaims; ++i) PutClaim(fmt::format("c{:04}", i), "{}");
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("kube_resourceclaim_info{namespace=\"lab\",resourceclaim=\"c1000\"}"));
  size_t lines = 0;
  for (size_t at = 0; (at = text.find("kube_resourceclaim_info{", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, static_cast<size_t>(kClaims));
}

TEST_F(StateMetricsTest, ValuesAreEscaped) {
  Put("resource.k8s.io/v1",
      "DeviceClass",
      R"({"metadata":{"name":"c"},"spec":{"extendedResourceName":"a\"b\\c\nd"}})");
  EXPECT_THAT(Text(), HasSubstr(R"(extended_resource_name="a\"b\\c\nd"})"));
}

}  // namespace
}  // namespace dray::server::http
