// SPDX-License-Identifier: Apache-2.0
// The table as a whole, and scores by the formulas of kube-scheduler 1.37, with results computed by
// hand.
#include "scheduler/plugins/table.h"

#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "scheduler/plugins/dynamic_resources.h"
#include "scheduler/plugins/pod_affinity.h"
#include "scheduler/plugins/topology_spread.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;
using ::testing::ElementsAre;

api::Quantity Q(const char* text) {
  return api::Quantity::Parse(text).value();
}

core_v1::Pod PodOf(const char* cpu, const char* memory) {
  core_v1::Pod pod;
  pod.spec.containers.emplace_back().name = "main";
  if (cpu != nullptr) pod.spec.containers[0].resources.requests["cpu"] = Q(cpu);
  if (memory != nullptr) pod.spec.containers[0].resources.requests["memory"] = Q(memory);
  return pod;
}

NodeState NodeOf(const char* cpu, const char* memory, const core_v1::Pod* used = nullptr) {
  core_v1::Node node;
  node.metadata.name = "n";
  node.status.allocatable["cpu"] = Q(cpu);
  node.status.allocatable["memory"] = Q(memory);
  NodeState state;
  state.allocatable = AllocatableOf(node);
  state.node = api::Object::Of(std::move(node));
  if (used != nullptr) {
    state.requested = RequestsOf(*used);
    state.presumed = PresumedOf(*used);
  }
  return state;
}

TEST(PluginTable, EachPluginIsRunOrItsGapIsNamed) {
  std::set<std::string_view> names;
  for (const Plugin* plugin : AllPlugins()) {
    EXPECT_TRUE(names.insert(plugin->name).second) << plugin->name;
    EXPECT_EQ(FindPlugin(plugin->name), plugin);
    const bool is_run = plugin->pre_enqueue != nullptr || plugin->filter != nullptr ||
                        plugin->filter_node != nullptr || plugin->own_score != nullptr ||
                        plugin->score_node != nullptr || !plugin->elsewhere.front().file.empty();
    EXPECT_TRUE(is_run || !plugin->missing.empty()) << plugin->name;
    const bool is_scored =
        plugin->own_score != nullptr || plugin->score_node != nullptr || plugin->scores != nullptr;
    EXPECT_TRUE(!is_scored || plugin->weight > 0) << plugin->name;
    EXPECT_EQ(plugin->has_scores == nullptr, plugin->scores == nullptr) << plugin->name;
  }
  EXPECT_EQ(FindPlugin("Coscheduling"), nullptr);
}

TEST(PluginTable, FiltersOfTheNodeAloneRunFirstAsInTheirOrder) {
  bool looks_further = false;
  for (const Plugin* plugin : AllPlugins()) {
    EXPECT_FALSE(plugin->filter != nullptr && plugin->filter_node != nullptr) << plugin->name;
    looks_further = looks_further || plugin->filter != nullptr;
    EXPECT_FALSE(looks_further && plugin->filter_node != nullptr) << plugin->name;
  }
}

TEST(PluginTable, FilesThatDoAPluginsWorkAreThere) {
  for (const Plugin* plugin : AllPlugins()) {
    for (const RunBy& one : plugin->elsewhere) {
      if (one.file.empty()) break;
      const auto file = std::filesystem::path(DRAY_SOURCE_DIR) / "scheduler" / one.file;
      EXPECT_TRUE(std::filesystem::exists(file)) << plugin->name << ": " << one.file;
    }
  }
}

TEST(Filter, TheFirstPluginThatObjectsGivesTheReason) {
  core_v1::Pod pod = PodOf("8", nullptr);
  pod.spec.node_selector["zone"] = "1";
  const PodNeeds needs = NeedsOf(pod);
  core_v1::Node node;
  node.spec.unschedulable = true;
  node.status.allocatable["cpu"] = Q("4");
  NodeState state{.node = api::Object::Of(node), .allocatable = AllocatableOf(node)};
  EXPECT_THAT(Filter({.needs = &needs}, state)->rejection.reasons,
              ElementsAre("node(s) were unschedulable"));
  node.spec.unschedulable = false;
  state.node = api::Object::Of(node);
  EXPECT_THAT(Filter({.needs = &needs}, state)->rejection.reasons,
              ElementsAre("node(s) didn't match Pod's node affinity/selector"));
  node.metadata.labels["zone"] = "1";
  state.node = api::Object::Of(node);
  const std::optional<Obstacle> last = Filter({.needs = &needs}, state);
  EXPECT_THAT(last->rejection.reasons, ElementsAre("Too many pods", "Insufficient cpu"));
  EXPECT_EQ(last->event, ClusterEvent::kNodes);
}

TEST(MayEnqueue, NotWithSchedulingGates) {
  core_v1::Pod pod = PodOf("1", nullptr);
  EXPECT_TRUE(MayEnqueue(pod));
  pod.spec.scheduling_gates.emplace_back().name = "quota";
  EXPECT_FALSE(MayEnqueue(pod));
}

TEST(NodeScore, LikesWhatIsEmptyAndBecomesEven) {
  const core_v1::Pod pod = PodOf("1", "1Gi");
  const PodNeeds needs = NeedsOf(pod);
  // (75 + 75) / 2, and balance stays: 50 + (50 + 100 - 100) / 2.
  EXPECT_EQ(NodeScore(needs, NodeOf("4", "4Gi")), 75 + 75);
  // (50 + 75) / 2 = 62; deviation (1/2 - 1/4) / 2 makes 87 of 100: 50 + (50 + 87 - 100) / 2 = 68.
  EXPECT_EQ(NodeScore(needs, NodeOf("2", "4Gi")), 62 + 68);
  // Used 2 of 4 CPUs: (25 + 75) / 2; with 3/4 and 1/4: 75, before 1/2 and 0: 75.
  const core_v1::Pod busy = PodOf("2", "0");
  EXPECT_EQ(NodeScore(needs, NodeOf("4", "4Gi", &busy)), 50 + 75);
}

TEST(NodeScore, PodsThatAskForNothingArePresumedToNeedSome) {
  const core_v1::Pod pod = PodOf(nullptr, nullptr);
  const PodNeeds needs = NeedsOf(pod);
  EXPECT_EQ(needs.presumed.cpu, 100);
  EXPECT_EQ(needs.presumed.memory, 200LL * 1024 * 1024);
  // No balance for pods without requests: (90 + 80) / 2 alone.
  EXPECT_EQ(NodeScore(needs, NodeOf("1", "1000Mi")), 85);
}

TEST(NodeScore, NodesThatSayNothingGetNothing) {
  const core_v1::Pod pod = PodOf("1", "1Gi");
  const PodNeeds needs = NeedsOf(pod);
  EXPECT_EQ(NodeScore(needs, NodeOf("0", "0")), 75);
}

class ComparedScoresTest : public ::testing::Test {
 protected:
  NodeState& AddNode(const std::string& name, const std::string& zone, int taints) {
    core_v1::Node node;
    node.metadata.name = name;
    node.metadata.labels["zone"] = zone;
    for (int i = 0; i < taints; ++i) {
      node.spec.taints.push_back({.key = "t" + std::to_string(i), .effect = "PreferNoSchedule"});
      soft_taints_.push_back(node.spec.taints.back());
    }
    states_.push_back(
        {.node = api::Object::Of(std::move(node)), .allocatable = {}, .requested = {}});
    nodes_.push_back(&states_.back());
    return states_.back();
  }
  std::vector<int64_t> Scores(const core_v1::Pod& pod) {
    const PodNeeds needs = NeedsOf(pod);
    const Neighbours none;
    const PodAffinity affinity(pod, none);
    const TopologySpread spread(needs, nodes_, none);
    const ComparedScores scores(
        {.needs = &needs, .affinity = &affinity, .spread = &spread, .soft_taints = soft_taints_});
    return scores.matter() ? scores.Of(nodes_) : std::vector<int64_t>();
  }

  std::deque<NodeState> states_;
  std::vector<const NodeState*> nodes_;
  std::vector<core_v1::Taint> soft_taints_;
};

TEST_F(ComparedScoresTest, FewerUnlovedTaintsAreBetter) {
  AddNode("a", "1", 0);
  AddNode("b", "1", 1);
  AddNode("c", "1", 2);
  core_v1::Pod pod = PodOf(nullptr, nullptr);
  EXPECT_THAT(Scores(pod), ElementsAre(300, 150, 0));
  pod.spec.tolerations.push_back({.operator_ = "Exists"});
  EXPECT_THAT(Scores(pod), ::testing::IsEmpty());
}

TEST_F(ComparedScoresTest, PreferencesOfNodesAddUp) {
  AddNode("a", "1", 0);
  AddNode("b", "2", 0);
  AddNode("c", "3", 0);
  core_v1::Pod pod = PodOf(nullptr, nullptr);
  core_v1::NodeAffinity affinity;
  const auto prefer = [&](int32_t weight, std::vector<std::string> zones) {
    core_v1::PreferredSchedulingTerm term{.weight = weight};
    term.preference.match_expressions.push_back(
        {.key = "zone", .operator_ = "In", .values = {zones.begin(), zones.end()}});
    affinity.preferred_during_scheduling_ignored_during_execution.push_back(term);
  };
  prefer(10, {"1", "2"});
  prefer(30, {"2"});
  pod.spec.affinity.emplace();
  pod.spec.affinity->node_affinity = affinity;
  EXPECT_THAT(Scores(pod), ElementsAre(50, 200, 0));
}

TEST(AddDeviceScores, TheBestGetsAll) {
  std::vector<int64_t> sums = {1, 2, 3};
  AddDeviceScores(std::vector<int64_t>{8, 4, 0}, sums);
  EXPECT_THAT(sums, ElementsAre(201, 102, 3));
}

}  // namespace
}  // namespace dray::scheduler::inline plugins
