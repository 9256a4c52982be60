// SPDX-License-Identifier: Apache-2.0
#include "api/conversion/conversion.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/autoscaling_v1.h"
#include "api/codec/json.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api::conversion {
namespace {

namespace a1 = resource_v1alpha1;
namespace a2 = resource_v1alpha2;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;
namespace v1 = resource_v1;

Object Read(const KindInfo& kind, std::string_view json, Release release = Release::kAny) {
  DecodeIssues issues;
  Result<Object> object = DecodeJson(kind, json, &issues, {.release = release});
  EXPECT_TRUE(object.has_value()) << json;
  return *object;
}

// `json` of T as the hub has it, without kind, apiVersion and empty metadata.
template <class T>
std::string Hub(std::string_view json, Release release = Release::kAny) {
  const Object hub = ToHub(Read(Reflected<T>::kKind, json, release), release);
  std::string out;
  EncodeJson(hub.type(), hub.value(), out, {.stored = true});
  return out;
}

// And that as T has it again.
template <class T>
std::string Back(std::string_view json, Release release = Release::kAny) {
  const Object hub = ToHub(Read(Reflected<T>::kKind, json, release), release);
  const Object shown = FromHub(hub, Reflected<T>::kKind, release);
  std::string out;
  EncodeJson(shown.type(), shown.value(), out, {.release = release});
  return out;
}

std::string Claim(std::string_view request) {
  return fmt::format(
      R"({{"metadata":{{}},"spec":{{"devices":{{"requests":[{}]}}}},"status":{{}}}})", request);
}

struct RequestCase {
  std::string_view name, flat, hub;
};

class FlatRequest : public ::testing::TestWithParam<RequestCase> {};

TEST_P(FlatRequest, BecomesExactIffAnyMemberIsSet) {
  EXPECT_EQ(Hub<b1::ResourceClaim>(Claim(GetParam().flat)), Claim(GetParam().hub));
}

INSTANTIATE_TEST_SUITE_P(
    Members,
    FlatRequest,
    ::testing::Values(
        RequestCase{"None", R"({"name":"r"})", R"({"name":"r"})"},
        RequestCase{"Class",
                    R"({"name":"r","deviceClassName":"c"})",
                    R"({"name":"r","exactly":{"deviceClassName":"c"}})"},
        RequestCase{"EmptySelectors",
                    R"({"name":"r","selectors":[]})",
                    R"({"name":"r","exactly":{"deviceClassName":""}})"},
        RequestCase{"Count",
                    R"({"name":"r","count":2})",
                    R"({"name":"r","exactly":{"deviceClassName":"","count":2}})"},
        RequestCase{"AdminFalse",
                    R"({"name":"r","adminAccess":false})",
                    R"({"name":"r","exactly":{"deviceClassName":"","adminAccess":false}})"},
        RequestCase{"Tolerations",
                    R"({"name":"r","tolerations":[{}]})",
                    R"({"name":"r","exactly":{"deviceClassName":"","tolerations":[{}]}})"},
        RequestCase{"Capacity",
                    R"({"name":"r","capacity":{}})",
                    R"({"name":"r","exactly":{"deviceClassName":"","capacity":{}}})"},
        RequestCase{"Derived",
                    R"({"name":"r","derivedAttributes":[]})",
                    R"({"name":"r","exactly":{"deviceClassName":""}})"},
        RequestCase{"Alternatives",
                    R"({"name":"r","firstAvailable":[{"name":"a","deviceClassName":"c"}]})",
                    R"({"name":"r","firstAvailable":[{"name":"a","deviceClassName":"c"}]})"},
        RequestCase{
            "Both",
            R"({"name":"r","count":1,"firstAvailable":[{"name":"a","deviceClassName":"c"}]})",
            R"({"name":"r","exactly":{"deviceClassName":"","count":1},)"
            R"("firstAvailable":[{"name":"a","deviceClassName":"c"}]})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Conversion, AdminAccessOf131IsTrueOrNothing) {
  const std::string request = R"({"name":"r","deviceClassName":"c","adminAccess":false})";
  const std::string hub = Hub<a3::ResourceClaim>(Claim(request), Release::k1_31);
  EXPECT_EQ(hub.find("adminAccess"), std::string::npos) << hub;
}

std::string Slice(std::string_view spec) {
  return fmt::format(R"({{"metadata":{{}},"spec":{{{}}}}})", spec);
}
constexpr std::string_view kPool =
    R"("driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1})";

TEST(Conversion, DevicesAreFlatInTheHub) {
  const std::string old = Slice(
      fmt::format(R"({},"devices":[{{"name":"x","basic":{{"capacity":{{"m":"1Gi"}}}}}}])", kPool));
  EXPECT_EQ(Hub<a3::ResourceSlice>(old, Release::k1_31),
            Slice(fmt::format(
                R"({},"devices":[{{"name":"x","capacity":{{"m":{{"value":"1Gi"}}}}}}])", kPool)));
  EXPECT_EQ(Back<a3::ResourceSlice>(old), old);
}

TEST(Conversion, ADeviceWithoutABasicPartIsRememberedUpTo132) {
  const std::string bare = Slice(fmt::format(R"({},"devices":[{{"name":"x"}}])", kPool));
  EXPECT_NE(Hub<b1::ResourceSlice>(bare, Release::k1_32).find(R"("noBasic":true)"),
            std::string::npos);
  EXPECT_NE(Back<b1::ResourceSlice>(bare, Release::k1_32).find(R"([{"name":"x"}])"),
            std::string::npos);
  EXPECT_EQ(Hub<b1::ResourceSlice>(bare, Release::k1_33), bare);
  EXPECT_NE(Back<b1::ResourceSlice>(bare).find(R"({"name":"x","basic":{}})"), std::string::npos);
}

TEST(Conversion, NodeNamesThatAreEmptyAreNone) {
  const std::string hub =
      Hub<b1::ResourceSlice>(Slice(fmt::format(R"({},"nodeName":"","allNodes":false)", kPool)));
  EXPECT_EQ(hub, Slice(kPool));
  const Object explicit_false =
      Read(Reflected<v1::ResourceSlice>::kKind,
           Slice(fmt::format(R"({},"nodeName":"n","allNodes":false)", kPool)));
  const std::string shown = ToJson(FromHub(explicit_false, Reflected<b1::ResourceSlice>::kKind));
  EXPECT_NE(shown.find(R"("nodeName":"n")"), std::string::npos);
  EXPECT_EQ(shown.find("allNodes"), std::string::npos);
}

TEST(Conversion, TheFirstVersionHasOneHandle) {
  const std::string json =
      R"({"metadata":{},"spec":{"resourceClassName":"k"},"status":{"driverName":"d","allocation":{"resourceHandle":"s"}}})";
  EXPECT_NE(
      Hub<a1::ResourceClaim>(json).find(R"("resourceHandles":[{"driverName":"d","data":"s"}])"),
      std::string::npos);
  EXPECT_EQ(Back<a1::ResourceClaim>(json), json);
}

TEST(Conversion, PodSchedulingIsPodSchedulingContext) {
  const Object object = Read(Reflected<a1::PodScheduling>::kKind,
                             R"({"metadata":{"name":"p"},"spec":{"selectedNode":"n"}})");
  const Object hub = ToHub(object);
  EXPECT_EQ(hub.kind().kind, "PodSchedulingContext");
  EXPECT_EQ(hub.As<a2::PodSchedulingContext>().spec.selected_node, "n");
  EXPECT_EQ(FromHub(hub, object.kind()), object);
}

// Objects a version can express come back as they were, in all releases together.
TEST(ConversionProperty, EveryVersionComesBackFromTheHub) {
  SeededRandom random(1);
  for (const KindInfo* kind : BuiltinKinds()) {
    if (kind->group != "resource.k8s.io" || !kind->served) continue;
    for (int turn = 0; turn < 30; ++turn) {
      Object object = testing::RandomObject(*kind, random);
      if (auto* slice = object.If<b1::ResourceSlice>(); slice != nullptr) {
        for (auto& device : object.Mutable<b1::ResourceSlice>().spec.devices) {
          if (!device.basic) device.basic.emplace();  // the hub does not distinguish {} from absent
        }
      }
      if (object.If<a3::ResourceSlice>() != nullptr) {
        for (auto& device : object.Mutable<a3::ResourceSlice>().spec.devices) {
          if (!device.basic) device.basic.emplace();
        }
      }
      EXPECT_EQ(ToJson(FromHub(ToHub(object), *kind)), ToJson(object));
    }
  }
}

// ------------------------------------------------------------------------------------------------

std::vector<std::string> LossLines(const Object& object,
                                   const KindInfo& to,
                                   Release release = Release::kAny) {
  std::vector<std::string> lines;
  for (const Loss& loss : Losses(object, to, release))
    lines.push_back(loss.path + " " + loss.value);
  return lines;
}

TEST(Losses, AreNamedAsTheAuthorWroteThem) {
  const Object slice = Read(
      Reflected<b1::ResourceSlice>::kKind,
      Slice(fmt::format(
          R"({},"partitionTypeAttribute":"a/b","devices":[{{"name":"x","basic":{{"bindsToNode":true,)"
          R"("capacity":{{"m":{{"value":"1","requestPolicy":{{"default":"1"}}}}}}}}}}])",
          kPool)));
  EXPECT_EQ(LossLines(slice, Reflected<a3::ResourceSlice>::kKind),
            (std::vector<std::string>{
                R"(spec.devices[0].basic.capacity[m].requestPolicy {"default":"1"})",
                "spec.devices[0].basic.bindsToNode true",
                R"(spec.partitionTypeAttribute "a/b")"}));
  EXPECT_TRUE(LossLines(slice, Reflected<v1::ResourceSlice>::kKind).empty());
}

TEST(Losses, DependOnTheReleaseSpoken) {
  const Object claim = Read(
      Reflected<v1::ResourceClaim>::kKind,
      Claim(R"({"name":"r","exactly":{"deviceClassName":"c","capacity":{"requests":{"m":"1"}}}})"));
  const KindInfo& flat = Reflected<b1::ResourceClaim>::kKind;
  EXPECT_TRUE(LossLines(claim, flat).empty());
  EXPECT_EQ(LossLines(claim, flat, Release::k1_33),
            std::vector<std::string>{
                R"(spec.devices.requests[0].exactly.capacity {"requests":{"m":"1"}})"});
}

TEST(Losses, NameHandlesTheFirstVersionCannotHave) {
  const Object claim = Read(
      Reflected<a2::ResourceClaim>::kKind,
      R"({"spec":{"resourceClassName":"k"},"status":{"driverName":"d","allocation":{"resourceHandles":[)"
      R"({"driverName":"d","data":"s"},{"driverName":"e","data":"t"}]}}})");
  EXPECT_EQ(LossLines(claim, Reflected<a1::ResourceClaim>::kKind),
            std::vector<std::string>{
                R"(status.allocation.resourceHandles[1] {"driverName":"e","data":"t"})"});
}

TEST(Losses, AreNoneWhereFormsMeanTheSame) {
  const Object bare = Read(Reflected<b1::ResourceSlice>::kKind,
                           Slice(fmt::format(R"({},"devices":[{{"name":"x"}}])", kPool)));
  EXPECT_TRUE(LossLines(bare, Reflected<v1::ResourceSlice>::kKind).empty());
}

// autoscaling/v1 knows one metric, and leaves the others alone.
TEST(Conversion, AnAutoscalerOfV1SeesAndChangesItsUseOfCpuOnly) {
  using Old = autoscaling_v1::HorizontalPodAutoscaler;
  constexpr std::string_view kOld =
      R"({"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3,"targetCPUUtilizationPercentage":50}})";
  EXPECT_NE(
      Hub<Old>(kOld).find(
          R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}])"),
      std::string::npos);
  EXPECT_NE(Back<Old>(kOld).find(R"("targetCPUUtilizationPercentage":50)"), std::string::npos);

  const KindInfo& version = Reflected<Old>::kKind;
  const Object stored = Read(
      version.storage(),
      R"({"spec":{"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}},{"type":"Pods"}]}})");
  Object next = ToHub(Read(version, kOld));
  MergeBack(version, stored, next);
  const std::string json = ToJson(next);
  EXPECT_NE(json.find(R"("averageUtilization":50)"), std::string::npos) << json;
}

}  // namespace
}  // namespace dray::api::conversion
