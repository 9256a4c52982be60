// SPDX-License-Identifier: Apache-2.0
#include "controllers/node_taints.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

using api::core_v1::Node;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct HasCondition {
  const char* name;
  std::vector<std::pair<const char*, const char*>> conditions;
  bool unschedulable = false;
  std::vector<std::string> taints = {};  // that it has
  std::vector<std::string> want = {};
};

Node NodeThat(const HasCondition& says) {
  Node node;
  node.metadata.name = "n";
  node.spec.unschedulable = says.unschedulable;
  for (const auto& [type, status] : says.conditions) {
    node.status.conditions.push_back({.type = type, .status = status});
  }
  for (const std::string& key : says.taints) {
    node.spec.taints.push_back({.key = key, .effect = "NoSchedule"});
  }
  return node;
}

std::vector<std::string> KeysOf(const Node& node) {
  std::vector<std::string> keys;
  for (const auto& taint : node.spec.taints) keys.push_back(taint.key);
  return keys;
}

class NodeTaintsTable : public ::testing::TestWithParam<HasCondition> {};

TEST_P(NodeTaintsTable, ConditionsStandAsTaints) {
  Node node = NodeThat(GetParam());
  node.spec.taints = NeededTaints(node);
  EXPECT_EQ(KeysOf(node), GetParam().want);
}

const std::string kNotReady = "node.kubernetes.io/not-ready";
const std::string kUnschedulable = "node.kubernetes.io/unschedulable";
const std::string kUnreachable = "node.kubernetes.io/unreachable";

INSTANTIATE_TEST_SUITE_P(
    All,
    NodeTaintsTable,
    ::testing::Values(
        HasCondition{.name = "Ready", .conditions = {{"Ready", "True"}}, .taints = {kNotReady}},
        HasCondition{.name = "NobodySays", .conditions = {}, .taints = {kNotReady}},
        HasCondition{.name = "NotReady", .conditions = {{"Ready", "False"}}, .want = {kNotReady}},
        HasCondition{.name = "Unreachable",
                     .conditions = {{"Ready", "Unknown"}},
                     .taints = {kNotReady},
                     .want = {kUnreachable}},
        HasCondition{.name = "OthersStay",
                     .conditions = {{"Ready", "True"}},
                     .taints = {"a.example/b", kNotReady},
                     .want = {"a.example/b"}},
        HasCondition{
            .name = "Pressure",
            .conditions = {{"Ready", "True"}, {"DiskPressure", "True"}, {"PIDPressure", "False"}},
            .want = {"node.kubernetes.io/disk-pressure"}},
        HasCondition{.name = "Cordoned",
                     .conditions = {{"Ready", "True"}},
                     .unschedulable = true,
                     .taints = {kUnschedulable},
                     .want = {kUnschedulable}}),
    [](const auto& info) { return info.param.name; });

TEST(NodeTaints, ANodeLosesTheTaintWhenItIsReady) {
  SimulatedWorld world{1};
  client::testing::MemoryClient client;
  Wakeup wakeup;
  client::SharedInformers informers(client, world.world().clock, wakeup, Log::Silent());
  Node node = NodeThat({.name = "", .conditions = {{"Ready", "False"}}, .taints = {kNotReady}});
  ASSERT_TRUE(client.Create(api::Object::Of(std::move(node))).has_value());
  NodeTaints controller(client, world.world(), informers, Log::Silent());
  const auto keys = [&] {
    for (int i = 0; i < 5; ++i) controller.Step();
    return KeysOf(client.Get({&api::Reflected<Node>::kKind, "", "n"})->As<Node>());
  };
  EXPECT_THAT(keys(), ElementsAre(kNotReady));
  api::Object ready = client.Get({&api::Reflected<Node>::kKind, "", "n"})->Clone();
  ready.Mutable<Node>().status.conditions[0].status = "True";
  ASSERT_TRUE(client.Update(ready, "status").has_value());
  EXPECT_THAT(keys(), IsEmpty());
}

}  // namespace
}  // namespace dray::controllers
