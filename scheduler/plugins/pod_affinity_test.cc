// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/pod_affinity.h"

#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;
using ::testing::ElementsAre;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHost = "kubernetes.io/hostname";

core_v1::Pod LabelledPod(const std::string& app, const std::string& namespace_ = "lab") {
  core_v1::Pod pod;
  pod.metadata.namespace_ = namespace_;
  pod.metadata.labels["app"] = app;
  return pod;
}

core_v1::PodAffinityTerm Term(const std::string& app, const std::string& key) {
  core_v1::PodAffinityTerm term{.topology_key = key};
  term.label_selector.emplace();
  term.label_selector->match_labels["app"] = app;
  return term;
}

core_v1::PodAffinity& Near(core_v1::Pod& pod) {
  if (!pod.spec.affinity) pod.spec.affinity.emplace();
  if (!pod.spec.affinity->pod_affinity) pod.spec.affinity->pod_affinity.emplace();
  return *pod.spec.affinity->pod_affinity;
}

core_v1::PodAntiAffinity& Far(core_v1::Pod& pod) {
  if (!pod.spec.affinity) pod.spec.affinity.emplace();
  if (!pod.spec.affinity->pod_anti_affinity) pod.spec.affinity->pod_anti_affinity.emplace();
  return *pod.spec.affinity->pod_anti_affinity;
}

class PodAffinityTest : public ::testing::Test {
 protected:
  PodAffinityTest() {
    for (const auto& [name, zone] : {std::pair("a", "1"), {"b", "1"}, {"c", "2"}, {"d", ""}}) {
      core_v1::Node node;
      node.metadata.name = name;
      node.metadata.labels[kHost] = name;
      if (*zone != 0) node.metadata.labels[kZone] = zone;
      states_.push_back(
          {.node = api::Object::Of(std::move(node)), .allocatable = {}, .requested = {}});
      nodes_.push_back(&states_.back());
    }
    neighbours_.all = [this] { return Where([](const core_v1::Pod&) { return true; }); };
    neighbours_.with_rules_about = [this](const core_v1::Pod&) { return Where(HasPodAffinity); };
    neighbours_.labels_of_namespace = [this](std::string_view name) {
      return name == "team" ? &team_ : nullptr;
    };
  }
  std::vector<Neighbour> Where(const std::function<bool(const core_v1::Pod&)>& has) {
    std::vector<Neighbour> found;
    for (const auto& [pod, node] : pods_) {
      if (has(pod)) found.push_back({.pod = &pod, .node = &nodes_[node]->value()});
    }
    return found;
  }
  /// For each node "yes", or the rule it breaks and whether evictions may help.
  std::vector<std::string> Filtered(const core_v1::Pod& pod) {
    const PodAffinity affinity(pod, neighbours_);
    std::vector<std::string> answers;
    for (const NodeState* node : nodes_) {
      const std::optional<Rejection> no = affinity.Filter(node->value());
      std::string answer = "yes";
      if (no && no->reasons[0] == "node(s) didn't match pod affinity rules") answer = "needs";
      if (no && no->reasons[0] == "node(s) didn't match pod anti-affinity rules") answer = "avoids";
      if (no && no->reasons[0] == "node(s) didn't satisfy existing pods anti-affinity rules") {
        answer = "closed";
      }
      if (no) EXPECT_EQ(no->unresolvable, answer == "needs");
      answers.push_back(answer);
    }
    return answers;
  }
  std::vector<int64_t> Scores(const core_v1::Pod& pod) {
    const PodAffinity affinity(pod, neighbours_);
    return affinity.has_scores() ? affinity.Scores(nodes_) : std::vector<int64_t>();
  }

  std::deque<NodeState> states_;
  std::vector<const NodeState*> nodes_;
  std::deque<std::pair<core_v1::Pod, size_t>> pods_;
  Neighbours neighbours_;
  api::Labels team_ = {{"team", "red"}};
};

TEST_F(PodAffinityTest, WithoutRulesEveryNodeDoes) {
  pods_.emplace_back(LabelledPod("db"), 0);
  EXPECT_THAT(Filtered(LabelledPod("web")), ElementsAre("yes", "yes", "yes", "yes"));
  EXPECT_THAT(Scores(LabelledPod("web")), ::testing::IsEmpty());
}

TEST_F(PodAffinityTest, NearOthersInTheirZone) {
  pods_.emplace_back(LabelledPod("db"), 0);
  core_v1::Pod pod = LabelledPod("web");
  Near(pod).required_during_scheduling_ignored_during_execution = {Term("db", kZone)};
  EXPECT_THAT(Filtered(pod), ElementsAre("yes", "yes", "needs", "needs"));
  Near(pod).required_during_scheduling_ignored_during_execution = {Term("db", kHost)};
  EXPECT_THAT(Filtered(pod), ElementsAre("yes", "needs", "needs", "needs"));
}

TEST_F(PodAffinityTest, TheFirstOfItsKindMayGoWhereTheKeyIs) {
  core_v1::Pod pod = LabelledPod("db");
  Near(pod).required_during_scheduling_ignored_during_execution = {Term("db", kZone)};
  EXPECT_THAT(Filtered(pod), ElementsAre("yes", "yes", "yes", "needs"));
  pod.metadata.labels["app"] = "web";
  EXPECT_THAT(Filtered(pod), ElementsAre("needs", "needs", "needs", "needs"));
}

TEST_F(PodAffinityTest, OnePodMustMatchAllTerms) {
  pods_.emplace_back(LabelledPod("db"), 0);
  pods_.emplace_back(LabelledPod("cache"), 0);
  core_v1::Pod pod = LabelledPod("web");
  Near(pod).required_during_scheduling_ignored_during_execution = {Term("db", kZone),
                                                                   Term("cache", kZone)};
  EXPECT_THAT(Filtered(pod), ElementsAre("needs", "needs", "needs", "needs"));
}

TEST_F(PodAffinityTest, AwayFromOthersBothWays) {
  pods_.emplace_back(LabelledPod("db"), 2);
  core_v1::Pod pod = LabelledPod("web");
  Far(pod).required_during_scheduling_ignored_during_execution = {Term("db", kZone)};
  EXPECT_THAT(Filtered(pod), ElementsAre("yes", "yes", "avoids", "yes"));
  pods_.clear();
  pods_.emplace_back(pod, 0);  // forbids databases in its zone
  EXPECT_THAT(Filtered(LabelledPod("db")), ElementsAre("closed", "closed", "yes", "yes"));
}

TEST_F(PodAffinityTest, NamespacesAreThePodsUnlessSaid) {
  pods_.emplace_back(LabelledPod("db", "team"), 0);
  core_v1::Pod pod = LabelledPod("web");
  core_v1::PodAffinityTerm term = Term("db", kZone);
  const auto filtered = [&] {
    Near(pod).required_during_scheduling_ignored_during_execution = {term};
    return Filtered(pod)[0];
  };
  EXPECT_EQ(filtered(), "needs");
  term.namespaces = {"team"};
  EXPECT_EQ(filtered(), "yes");
  term.namespaces.clear();
  term.namespace_selector.emplace();
  EXPECT_EQ(filtered(), "yes") << "an empty selector: all";
  term.namespace_selector->match_labels["team"] = "red";
  EXPECT_EQ(filtered(), "yes");
  term.namespace_selector->match_labels["team"] = "blue";
  EXPECT_EQ(filtered(), "needs");
}

TEST_F(PodAffinityTest, WishesOfBothSidesAreScored) {
  pods_.emplace_back(LabelledPod("db"), 0);
  pods_.emplace_back(LabelledPod("noisy"), 2);
  core_v1::Pod pod = LabelledPod("web");
  Near(pod).preferred_during_scheduling_ignored_during_execution = {
      {.weight = 10, .pod_affinity_term = Term("db", kHost)},
      {.weight = 5, .pod_affinity_term = Term("db", kZone)}};
  Far(pod).preferred_during_scheduling_ignored_during_execution = {
      {.weight = 5, .pod_affinity_term = Term("noisy", kZone)}};
  EXPECT_THAT(Scores(pod), ElementsAre(100, 50, 0, 25));  // of 15, 5, -5, 0
  core_v1::Pod fan = LabelledPod("fan");
  Near(fan).required_during_scheduling_ignored_during_execution = {Term("web", kHost)};
  pods_.clear();
  pods_.emplace_back(fan, 1);
  EXPECT_THAT(Scores(LabelledPod("web")), ElementsAre(0, 100, 0, 0));
}

TEST_F(PodAffinityTest, ATermWithoutASelectorMeansNobody) {
  pods_.emplace_back(LabelledPod("db"), 0);
  core_v1::Pod pod = LabelledPod("web");
  core_v1::PodAffinityTerm term = Term("db", kZone);
  term.label_selector.reset();
  Far(pod).required_during_scheduling_ignored_during_execution = {term};
  EXPECT_THAT(Filtered(pod), ElementsAre("yes", "yes", "yes", "yes"));
}

}  // namespace
}  // namespace dray::scheduler::inline plugins
