// SPDX-License-Identifier: Apache-2.0
// Devices with nodeAllocatableResources are published only for nodes that declare the feature.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kPlainDevice = R"({"name":"d"})";
constexpr std::string_view kMappedDevice =
    R"({"name":"d","nodeAllocatableResources":{"cpu":{"mapping":{"deviceMultiplier":"2"}}}})";

/// A server of the newest release.
Options WithGates(const api::FeatureGates& gates, api::Release release = api::Release::kNewest) {
  return {.rules = registry::RuleSet({.release = release, .gates = gates}), .release = release};
}

class DeclaredFeaturesTest : public testing::ServerTest {
 protected:
  explicit DeclaredFeaturesTest(
      const Options& options = WithGates(api::FeatureGates::AllOf(api::Release::kNewest)))
      : ServerTest(options) {}
  void AddNode(std::string_view name, std::string_view features) {
    ASSERT_THAT(Post("nodes",
                     "",
                     fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"kind":"{}"}}}},)"
                                 R"("status":{{"declaredFeatures":[{}]}}}})",
                                 name,
                                 features.empty() ? "old" : "new",
                                 features)),
                StartsWith("201 "));
  }
  static std::string Slice(std::string_view reach, std::string_view device) {
    return fmt::format(
        R"({{"metadata":{{"name":"s"}},"spec":{{"driver":"d.example",)"
        R"("pool":{{"name":"p","generation":1,"resourceSliceCount":1}},{},"devices":[{}]}}}})",
        reach,
        device);
  }
  std::string Publish(std::string_view reach, std::string_view device = kMappedDevice) {
    Delete("resourceslices", "", "s");
    return Post("resourceslices", "", Slice(reach, device));
  }
};

constexpr std::string_view kFeature = R"("DRANodeAllocatableResources")";

TEST_F(DeclaredFeaturesTest, TheNodeOfASliceMustHaveTheFeature) {
  AddNode("able", kFeature);
  AddNode("unable", "");
  EXPECT_THAT(Publish(R"("nodeName":"able")"), StartsWith("201 "));
  EXPECT_EQ(Publish(R"("nodeName":"unable")"),
            R"(403 Forbidden: resourceslices.resource.k8s.io "s" is forbidden: )"
            R"(node "unable" does not support DRANodeAllocatableResources feature)");
  EXPECT_THAT(Publish(R"("nodeName":"gone")"),
              HasSubstr(R"(node "gone" not found for device "d")"));
  EXPECT_THAT(Publish(R"("nodeName":"unable")", kPlainDevice), StartsWith("201 "));
  EXPECT_THAT(Put("resourceslices", "", "s", Slice(R"("nodeName":"unable")", kMappedDevice)),
              StartsWith("403 "))
      << "nor may a slice be changed so";
}

TEST_F(DeclaredFeaturesTest, SoMustAllNodesThatASelectorChooses) {
  AddNode("able", kFeature);
  AddNode("unable", "");
  constexpr std::string_view kOf = R"("nodeSelector":{{"nodeSelectorTerms":[{{"matchExpressions":)"
                                   R"([{{"key":"kind","operator":"In","values":["{}"]}}]}}]}})";
  EXPECT_THAT(Publish(fmt::format(kOf, "new")), StartsWith("201 "));
  EXPECT_THAT(Publish(fmt::format(kOf, "none")), StartsWith("201 "));
  EXPECT_THAT(Publish(fmt::format(kOf, "old")), HasSubstr(R"(node "unable" does not support)"));
  EXPECT_THAT(Publish(R"("allNodes":true)"), HasSubstr(R"(node "unable" does not support)"));
}

TEST_F(DeclaredFeaturesTest, DevicesMayHaveNodesOfTheirOwn) {
  AddNode("able", kFeature);
  AddNode("unable", "");
  const auto on = [](std::string_view node) {
    return fmt::format(
        R"({},"nodeName":"{}"}})", kMappedDevice.substr(0, kMappedDevice.size() - 1), node);
  };
  constexpr std::string_view kPerDevice = R"("perDeviceNodeSelection":true)";
  EXPECT_THAT(Publish(kPerDevice, on("able")), StartsWith("201 "));
  EXPECT_THAT(Publish(kPerDevice, on("unable")), HasSubstr("does not support"));
}

class WithoutTheFeatureTest : public DeclaredFeaturesTest {
 protected:
  WithoutTheFeatureTest()
      : DeclaredFeaturesTest(WithGates(api::FeatureGates::DefaultsOf(api::Release::kNewest))) {}
};

TEST_F(WithoutTheFeatureTest, NothingIsAsked) {
  AddNode("unable", "");
  EXPECT_THAT(Publish(R"("nodeName":"unable")"), StartsWith("201 "));
}

class WithoutAReleaseTest : public DeclaredFeaturesTest {
 protected:
  WithoutAReleaseTest()
      : DeclaredFeaturesTest(
            WithGates(api::FeatureGates::AllOf(api::Release::kNewest), api::Release::kAny)) {}
};

TEST_F(WithoutAReleaseTest, NodesAreSimulatedAndCanDoEverything) {
  AddNode("unable", "");
  EXPECT_THAT(Publish(R"("nodeName":"unable")"), StartsWith("201 "));
}

}  // namespace
}  // namespace dray::server::verbs::admission
