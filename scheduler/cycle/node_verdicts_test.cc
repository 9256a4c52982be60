// SPDX-License-Identifier: Apache-2.0
// What is kept about nodes is what the plugins say, whatever happened to the nodes since.
#include "scheduler/cycle/node_verdicts.h"

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "scheduler/cluster/node_use.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::Quantity Q(int64_t number) {
  return api::Quantity::Parse(std::to_string(number)).value();
}

core_v1::Pod PodOf(int64_t cpus, const std::string& zone = {}) {
  core_v1::Pod pod;
  pod.spec.containers.emplace_back().name = "main";
  pod.spec.containers[0].resources.requests["cpu"] = Q(cpus);
  if (!zone.empty()) pod.spec.node_selector["zone"] = zone;
  return pod;
}

core_v1::Node NodeOf(const std::string& name, int64_t cpus) {
  core_v1::Node node;
  node.metadata.name = name;
  node.status.allocatable["cpu"] = Q(cpus);
  node.status.allocatable["pods"] = Q(5);
  return node;
}

core_v1::Taint Soft(const std::string& key) {
  return {.key = key, .effect = "PreferNoSchedule"};
}

/// Nodes and pods that change at random.
class ChangingNodes {
 public:
  explicit ChangingNodes(uint64_t seed) : random_(seed) {}

  NodeUse& use() { return use_; }

  void Change() {
    const std::string name = "node-" + std::to_string(Below(6));
    switch (Below(6)) {
      case 0: {
        core_v1::Node node = NodeOf(name, static_cast<int64_t>(1 + Below(8)));
        node.metadata.labels["zone"] = std::to_string(Below(2));
        node.spec.unschedulable = Below(4) == 0;
        const api::Object object = api::Object::Of(std::move(node));
        return use_.SetNode(name, &object);
      }
      case 1:
        if (Below(3) == 0) use_.SetNode(name, nullptr);
        return;
      case 2: use_.DropPod("pod-" + std::to_string(Below(20))); return;
      default: {
        core_v1::Pod pod = PodOf(static_cast<int64_t>(1 + Below(3)));
        pod.metadata.uid = "pod-" + std::to_string(Below(20));
        return use_.SetPod(pod, name, {});
      }
    }
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }

  std::mt19937_64 random_;
  NodeUse use_;
};

/// As an attempt does. Returns whether the verdict was kept before.
bool Check(NodeVerdicts& verdicts, const PodNeeds& needs, const NodeState& node) {
  VerdictsForNeeds& kept = verdicts.For(needs);
  const NodeVerdict now = JudgeNode(needs, node);
  const NodeVerdict* before = kept.Find(node);
  if (before == nullptr) {
    kept.Keep(node, now);
    return false;
  }
  EXPECT_EQ(before->score, now.score);
  EXPECT_EQ(before->obstacle == nullptr, now.obstacle == nullptr);
  if (before->obstacle != nullptr && now.obstacle != nullptr) {
    EXPECT_EQ(before->obstacle->rejection.reasons, now.obstacle->rejection.reasons);
  }
  return true;
}

TEST(NodeVerdictsProperty, WhatIsKeptIsWhatThePluginsSay) {
  const std::array pods = {PodOf(1), PodOf(4), PodOf(1, "0")};
  size_t kept = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ChangingNodes nodes(seed);
    NodeVerdicts verdicts;
    for (int step = 0; step < 300; ++step) {
      nodes.Change();
      // The copy that preemption by groups puts in the place of the nodes changes them as well.
      NodeUse copy = nodes.use().Without({});
      copy.DropPod("pod-" + std::to_string(step % 20));
      for (const core_v1::Pod& pod : pods) {
        const PodNeeds needs = NeedsOf(pod);
        for (const NodeState* node : copy.nodes()) Check(verdicts, needs, *node);
        for (const NodeState* node : nodes.use().nodes()) {
          if (Check(verdicts, needs, *node)) ++kept;
        }
      }
    }
  }
  EXPECT_GT(kept, 10'000U);
}

TEST(NodeVerdicts, NothingIsKeptAboutACopy) {
  NodeUse use;
  const api::Object object = api::Object::Of(NodeOf("a", 4));
  use.SetNode("a", &object);
  const core_v1::Pod pod = PodOf(1);
  const PodNeeds needs = NeedsOf(pod);
  NodeVerdicts verdicts;
  Check(verdicts, needs, *use.nodes()[0]);
  EXPECT_TRUE(Check(verdicts, needs, *use.nodes()[0]));
  NodeState copy = *use.nodes()[0];
  EXPECT_EQ(verdicts.For(needs).Find(copy), nullptr);
  copy.requested["cpu"] = 4000;
  EXPECT_FALSE(Check(verdicts, needs, copy));
  EXPECT_FALSE(Check(verdicts, needs, copy));
}

TEST(NodeVerdicts, ForTheNeedsUsedLast) {
  NodeVerdicts verdicts;
  const auto use = [&](int64_t cpus) -> VerdictsForNeeds& {
    const core_v1::Pod pod = PodOf(cpus);
    return verdicts.For(NeedsOf(pod));
  };
  NodeUse nodes;
  const api::Object object = api::Object::Of(NodeOf("a", 4));
  nodes.SetNode("a", &object);
  const NodeState& node = *nodes.nodes()[0];
  for (size_t i = 0; i < NodeVerdicts::kNeedsMax; ++i) use(static_cast<int64_t>(i)).Keep(node, {});
  EXPECT_EQ(verdicts.size(), NodeVerdicts::kNeedsMax);
  EXPECT_NE(use(0).Find(node), nullptr);
  use(100);
  EXPECT_EQ(verdicts.size(), NodeVerdicts::kNeedsMax);
  EXPECT_NE(use(0).Find(node), nullptr) << "it was used last";
  EXPECT_EQ(use(1).Find(node), nullptr) << "it was used before all others";
}

TEST(NodeUseSoftTaints, EachOnceAsLongAsANodeHasIt) {
  NodeUse use;
  const auto set = [&](const std::string& name, std::vector<core_v1::Taint> taints) {
    core_v1::Node node = NodeOf(name, 1);
    node.spec.taints = std::move(taints);
    const api::Object object = api::Object::Of(std::move(node));
    use.SetNode(name, &object);
  };
  const auto keys = [&] {
    std::vector<std::string> all;
    for (const core_v1::Taint& taint : use.soft_taints()) all.push_back(taint.key);
    return all;
  };
  set("a", {Soft("old"), {.key = "hard", .effect = "NoSchedule"}});
  set("b", {Soft("old"), Soft("slow")});
  EXPECT_THAT(keys(), ElementsAre("old", "slow"));
  use.SetNode("a", nullptr);
  EXPECT_THAT(keys(), ElementsAre("old", "slow"));
  set("b", {Soft("slow")});
  EXPECT_THAT(keys(), ElementsAre("slow"));
  use.SetNode("b", nullptr);
  EXPECT_THAT(keys(), IsEmpty());
}

}  // namespace
}  // namespace dray::scheduler::inline cycle
