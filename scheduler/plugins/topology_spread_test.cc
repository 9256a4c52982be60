// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/topology_spread.h"

#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;
using ::testing::ElementsAre;

class TopologySpreadTest : public ::testing::Test {
 protected:
  TopologySpreadTest() {
    for (const auto& [name, zone] : {std::pair("a", "1"), {"b", "1"}, {"c", "2"}, {"d", ""}}) {
      core_v1::Node node;
      node.metadata.name = name;
      if (*zone != 0) node.metadata.labels["zone"] = zone;
      states_.push_back(
          {.node = api::Object::Of(std::move(node)), .allocatable = {}, .requested = {}});
      nodes_.push_back(&states_.back());
    }
    neighbours_.all = [this] {
      std::vector<Neighbour> all;
      for (const auto& [pod, node] : pods_) {
        all.push_back({.pod = &pod, .node = &nodes_[node]->value()});
      }
      return all;
    };
    pod_.metadata.namespace_ = "lab";
    pod_.metadata.labels["app"] = "web";
  }
  core_v1::TopologySpreadConstraint& Constrain(const char* action, int32_t skew) {
    core_v1::TopologySpreadConstraint constraint{
        .max_skew = skew, .topology_key = "zone", .when_unsatisfiable = action};
    constraint.label_selector.emplace();
    constraint.label_selector->match_labels["app"] = "web";
    pod_.spec.topology_spread_constraints.push_back(constraint);
    return pod_.spec.topology_spread_constraints.back();
  }
  void AddPods(size_t node, int count) {
    for (int i = 0; i < count; ++i) {
      core_v1::Pod pod;
      pod.metadata = pod_.metadata;
      pods_.emplace_back(std::move(pod), node);
    }
  }
  std::vector<std::string> Filtered() {
    const PodNeeds needs = NeedsOf(pod_);
    const TopologySpread spread(needs, nodes_, neighbours_, &defaults_);
    std::vector<std::string> answers;
    for (const NodeState* node : nodes_) {
      const std::optional<Rejection> no = spread.Filter(node->value());
      answers.emplace_back(!no ? "yes" : no->unresolvable ? "no label" : "full");
    }
    return answers;
  }
  std::vector<int64_t> Scores() {
    const PodNeeds needs = NeedsOf(pod_);
    const TopologySpread spread(needs, nodes_, neighbours_, &defaults_);
    return spread.has_scores() ? spread.Scores(nodes_) : std::vector<int64_t>();
  }

  SpreadDefaults defaults_;
  std::deque<NodeState> states_;
  std::vector<const NodeState*> nodes_;
  std::deque<std::pair<core_v1::Pod, size_t>> pods_;
  Neighbours neighbours_;
  core_v1::Pod pod_;
};

TEST_F(TopologySpreadTest, NoZoneGetsTooFarAhead) {
  Constrain("DoNotSchedule", 1);
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "no label"));
  AddPods(0, 1);
  EXPECT_THAT(Filtered(), ElementsAre("full", "full", "yes", "no label"));
  AddPods(2, 2);
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "full", "no label"));
  EXPECT_THAT(Scores(), ::testing::IsEmpty());
}

TEST_F(TopologySpreadTest, WithTooFewZonesNothingIsAhead) {
  Constrain("DoNotSchedule", 1).min_domains = 3;
  AddPods(0, 1);
  AddPods(2, 1);
  EXPECT_THAT(Filtered(), ElementsAre("full", "full", "full", "no label"));
}

TEST_F(TopologySpreadTest, OnlyPodsLikeOursCount) {
  Constrain("DoNotSchedule", 1);
  AddPods(0, 3);
  pods_[0].first.metadata.namespace_ = "other";
  pods_[1].first.metadata.labels["app"] = "db";
  pods_[2].first.metadata.deletion_timestamp = api::Time();
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "no label"));
}

TEST_F(TopologySpreadTest, KeysOfLabelsNarrowTheSelector) {
  Constrain("DoNotSchedule", 1).match_label_keys = {"version"};
  AddPods(0, 1);
  pod_.metadata.labels["version"] = "2";
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "no label"));
  pod_.metadata.labels.clear();
  pod_.metadata.labels["app"] = "web";
  EXPECT_THAT(Filtered(), ElementsAre("full", "full", "yes", "no label"));
}

TEST_F(TopologySpreadTest, NodesThatThePodDoesNotSelectDoNotCount) {
  core_v1::TopologySpreadConstraint& constraint = Constrain("DoNotSchedule", 1);
  AddPods(0, 1);
  pod_.spec.node_selector["zone"] = "1";
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "no label"));
  constraint.node_affinity_policy = "Ignore";
  EXPECT_THAT(Filtered(), ElementsAre("full", "full", "yes", "no label"));
}

TEST_F(TopologySpreadTest, EmptierZonesScoreMore) {
  Constrain("ScheduleAnyway", 1);
  EXPECT_THAT(Scores(), ElementsAre(100, 100, 100, 0));
  AddPods(0, 2);
  AddPods(2, 1);
  // 2 and 1 pods × log(2 + 2), rounded: 3 and 1; 100 × (3 + 1 - s) / 3.
  EXPECT_THAT(Scores(), ElementsAre(33, 33, 100, 0));
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "yes"));
}

TEST_F(TopologySpreadTest, PodsOfACollectionAreSpreadByDefaults) {
  defaults_ = SystemSpreadDefaults();
  for (auto& constraint : defaults_.constraints) {
    if (constraint.topology_key != "kubernetes.io/hostname") constraint.topology_key = "zone";
  }
  AddPods(0, 4);
  EXPECT_THAT(Scores(), ElementsAre()) << "it has no owner";
  neighbours_.collection_of = [](const core_v1::Pod& pod) {
    api::meta_v1::LabelSelector selector;
    selector.match_labels["app"] = pod.metadata.labels.find("app")->second;
    return selector;
  };
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "yes"));
  // a and b share the zone with pods; c has another zone; d has none and no disadvantage.
  const std::vector<int64_t> scores = Scores();
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_LT(scores[1], scores[2]);
  EXPECT_LT(scores[2], scores[3]);
}

TEST_F(TopologySpreadTest, OwnRulesReplaceTheDefaults) {
  defaults_.constraints = {
      {.max_skew = 1, .topology_key = "zone", .when_unsatisfiable = "DoNotSchedule"}};
  neighbours_.collection_of = [](const core_v1::Pod&) {
    api::meta_v1::LabelSelector selector;
    selector.match_labels["app"] = "web";
    return selector;
  };
  AddPods(0, 2);
  EXPECT_THAT(Filtered(), ElementsAre("full", "full", "yes", "no label"));
  Constrain("DoNotSchedule", 9);
  EXPECT_THAT(Filtered(), ElementsAre("yes", "yes", "yes", "no label"));
}

}  // namespace
}  // namespace dray::scheduler::inline plugins
