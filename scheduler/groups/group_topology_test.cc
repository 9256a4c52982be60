// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/group_topology.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/groups/gang_search.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline groups {
namespace {

namespace core_v1 = api::core_v1;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kRack = "topology.example/rack";

/// Nodes in name order.
class Nodes {
 public:
  void Add(const std::string& name, const std::optional<std::string>& rack, int64_t cpus = 0) {
    core_v1::Node node;
    node.metadata.name = name;
    if (rack) node.metadata.labels[kRack] = *rack;
    if (cpus > 0) node.status.allocatable["cpu"] = api::Quantity::FromInt(cpus);
    states_.push_back({.node = api::Object::Of(node), .allocatable = AllocatableOf(node)});
  }
  std::vector<const NodeState*> list() const {
    std::vector<const NodeState*> nodes;
    for (const NodeState& state : states_) nodes.push_back(&state);
    return nodes;
  }
  const core_v1::Node* At(size_t index) const { return &states_[index].value(); }

 private:
  std::deque<NodeState> states_;
};

std::vector<std::string> NamesOf(const Domain& domain) {
  std::vector<std::string> names = {domain.value + ":"};
  for (const NodeState* node : domain.nodes) names.push_back(node->value().metadata.name);
  return names;
}

TEST(DomainsOf, EachValueOfTheLabelIsOne) {
  Nodes nodes;
  nodes.Add("n0", "b");
  nodes.Add("n1", std::nullopt);
  nodes.Add("n2", "a");
  nodes.Add("n3", "b");
  const auto domains = DomainsOf(kRack, nodes.list(), {});
  ASSERT_EQ(domains->size(), 2U);
  EXPECT_THAT(NamesOf((*domains)[0]), ElementsAre("a:", "n2"));
  EXPECT_THAT(NamesOf((*domains)[1]), ElementsAre("b:", "n0", "n3"));
  EXPECT_THAT(*DomainsOf("other", nodes.list(), {}), IsEmpty());
}

TEST(DomainsOf, WhereMembersAreTheOthersGo) {
  Nodes nodes;
  nodes.Add("n0", "b");
  nodes.Add("n1", std::nullopt);
  nodes.Add("n2", "a");
  const ScheduledMember in_b{.key = "lab/x", .node_name = "n0", .node = nodes.At(0)};
  const ScheduledMember nowhere{.key = "lab/y", .node_name = "n1", .node = nodes.At(1)};
  const ScheduledMember in_a{.key = "lab/z", .node_name = "n2", .node = nodes.At(2)};
  const ScheduledMember lost{.key = "lab/l", .node_name = "gone", .node = nullptr};
  const auto refusal = [&](const std::vector<ScheduledMember>& scheduled) {
    return DomainsOf(kRack, nodes.list(), scheduled).error().message;
  };
  const auto domains = DomainsOf(kRack, nodes.list(), std::vector{in_b, in_b});
  ASSERT_EQ(domains->size(), 1U);
  EXPECT_THAT(NamesOf((*domains)[0]), ElementsAre("b:", "n0"));
  const std::string what = "cannot determine domain for already scheduled pods: ";
  EXPECT_EQ(refusal({in_b, in_a}), what + "more than 1 domain found for pod group: b, a");
  EXPECT_EQ(refusal({nowhere}), what + "no topology domain found for pod lab/y");
  EXPECT_EQ(refusal({lost}),
            what + "getting node for pod lab/l: nodeinfo not found for node name \"gone\"");
}

TEST(Among, AreThoseOfTheDomain) {
  Nodes nodes;
  for (const char* const name : {"a", "b", "c", "d"}) nodes.Add(name, "r");
  const auto list = nodes.list();
  EXPECT_THAT(Among(list, {.value = "r", .nodes = {list[1], list[3]}}),
              ElementsAre(list[1], list[3]));
  EXPECT_THAT(Among(std::vector{list[0], list[3]}, {.value = "r", .nodes = {list[1], list[3]}}),
              ElementsAre(list[3]));
  EXPECT_THAT(Among(list, {}), IsEmpty());
}

/// Pods of one CPU each; the test sets how many of them each domain takes.
class PlaceInOneDomainTest : public ::testing::Test {
 protected:
  void AddDomain(const std::string& value, int64_t cpus, size_t room) {
    nodes_.Add("node-" + value, value, cpus);
    room_[value] = room;
  }
  std::vector<GroupMember> Members(size_t count) {
    std::vector<GroupMember> members;
    for (size_t i = 0; i < count; ++i) {
      core_v1::Pod pod;
      pod.metadata.name = fmt::format("p{}", i);
      core_v1::Container container;
      container.resources.requests["cpu"] = api::Quantity::FromInt(1);
      pod.spec.containers.push_back(std::move(container));
      members.push_back({.pod = api::Object::Of(pod), .claims = {}, .consumers = {}});
    }
    return members;
  }
  GroupOutcome Place(size_t count, size_t needed) {
    const std::vector<GroupMember> members = Members(count);
    domains_ = *DomainsOf(kRack, nodes_.list(), {});
    return PlaceInOneDomain(domains_, members, 0, [&](const Domain& domain, size_t questions_max) {
      asked_.push_back(fmt::format("{}/{}", domain.value, questions_max));
      GroupOutcome outcome;
      outcome.decisions.resize(count);
      const size_t room = room_[domain.value] + (questions_max > 0 ? together_ : 0);
      for (size_t i = 0; i < std::min(count, room); ++i) {
        outcome.decisions[i] = Placement{.node = "node-" + domain.value};
      }
      if (room >= needed) {
        outcome.kind = GroupOutcome::Kind::kScheduled;
      } else {
        outcome.message = outcome.of_unasked = fmt::format("no room in {}", domain.value);
      }
      return outcome;
    });
  }
  std::string ChoiceOf(size_t count, size_t needed) {
    const GroupOutcome outcome = Place(count, needed);
    if (outcome.kind != GroupOutcome::Kind::kScheduled) return outcome.message;
    return std::get<Placement>(*outcome.decisions[0]).node;
  }

  Nodes nodes_;
  std::map<std::string, size_t> room_;
  size_t together_ = 0;  // extra pods that fit when all are searched for together
  std::vector<Domain> domains_;
  std::vector<std::string> asked_;
};

TEST_F(PlaceInOneDomainTest, MostPodsWinThenTheFullest) {
  AddDomain("a", 16, 2);
  AddDomain("b", 16, 3);
  AddDomain("c", 4, 2);
  EXPECT_EQ(ChoiceOf(3, 2), "node-b");  // 18 + 100, beside 12 + 66 and 50 + 66
  AddDomain("d", 3, 2);
  EXPECT_EQ(ChoiceOf(3, 2), "node-d");  // 66 + 66
  AddDomain("e", 3, 2);
  EXPECT_EQ(ChoiceOf(3, 2), "node-d");  // the first of equals
}

TEST_F(PlaceInOneDomainTest, TogetherOnlyWhereOneAfterTheOtherHasFailed) {
  AddDomain("a", 8, 1);
  AddDomain("b", 8, 1);
  together_ = 1;
  EXPECT_EQ(ChoiceOf(2, 2), "node-a");
  EXPECT_THAT(asked_,
              ElementsAre("a/0",
                          "b/0",
                          fmt::format("a/{}", kGangQuestionsMax / 2),
                          fmt::format("b/{}", kGangQuestionsMax / 2)));
  asked_.clear();
  EXPECT_EQ(ChoiceOf(1, 1), "node-a");
  EXPECT_THAT(asked_, ElementsAre("a/0", "b/0"));
}

TEST_F(PlaceInOneDomainTest, WhatIsSaidIsUpstreams) {
  EXPECT_EQ(ChoiceOf(2, 2), "no feasible placements found");
  AddDomain("a", 8, 0);
  AddDomain("b", 8, 1);
  EXPECT_EQ(ChoiceOf(2, 2),
            "pod group is unschedulable, 0/2 placements are available, first placement status: no "
            "room in a");
}

/// Groups with a constraint, through the whole scheduler.
class TopologyTest : public ::testing::Test {
 protected:
  explicit TopologyTest(bool is_on = true) : is_on_(is_on) {}

  Scheduler::Options Options() {
    Scheduler::Options options = cluster_.Options();
    options.pod_groups = true;
    options.group_topology = is_on_;
    return options;
  }
  void AddNode(const std::string& name, const std::string& rack, int64_t cpus) {
    cluster_.AddNode(name, 0);
    const client::ObjectRef ref{&api::Reflected<core_v1::Node>::kKind, "", name};
    api::Object copy = cluster_.client.Get(ref)->Clone();
    if (!rack.empty()) copy.mutable_metadata().labels[kRack] = rack;
    Cluster::Must(cluster_.client.Update(copy, {}));
    cluster_.SetProcessors(name, cpus);
  }
  void AddGroup(int min_count) {
    PodGroup group;
    group.metadata.namespace_ = "lab";
    group.metadata.name = "team";
    if (min_count > 0) group.spec.scheduling_policy.gang.emplace().min_count = min_count;
    group.spec.scheduling_constraints.emplace().topology.push_back({.key = kRack});
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(group))));
  }
  void AddMember(const std::string& name, int64_t cpus, const std::string& node = {}) {
    cluster_.AddPodWithProcessors(name, 0, cpus, [&](core_v1::Pod& pod) {
      pod.spec.scheduling_group.emplace().pod_group_name = "team";
      pod.spec.node_name = node;
    });
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }

  Cluster cluster_;
  bool is_on_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Options()};
};

TEST_F(TopologyTest, AllPodsOfAGangAreInOneDomain) {
  AddNode("n0", "a", 2);
  AddNode("n1", "b", 1);
  AddNode("n2", "b", 2);
  AddNode("n3", "", 9);
  AddGroup(3);
  for (const char* const name : {"x", "y", "z"}) AddMember(name, 1);
  Settle();
  EXPECT_EQ(cluster_.GroupCondition("team"), "True Scheduled: ");
  const std::set<std::string> nodes = {NodeOf("x"), NodeOf("y"), NodeOf("z")};
  EXPECT_THAT(nodes, ElementsAre("n1", "n2"));
}

TEST_F(TopologyTest, LaterPodsFollowThoseThatAreThere) {
  AddNode("n0", "a", 2);
  AddNode("n1", "b", 4);
  AddGroup(0);
  AddMember("first", 1, "n0");
  AddMember("second", 1);
  Settle();
  EXPECT_EQ(NodeOf("second"), "n0");
  AddMember("third", 1);
  Settle(3);
  EXPECT_EQ(NodeOf("third"), "");
  EXPECT_EQ(cluster_.Condition("third"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
  // More room in the same rack wakes the group.
  AddNode("n2", "a", 1);
  Settle(12);
  EXPECT_EQ(NodeOf("third"), "n2");
}

TEST_F(TopologyTest, PodsInTwoDomainsAreAnError) {
  AddNode("n0", "a", 2);
  AddNode("n1", "b", 2);
  AddGroup(0);
  AddMember("x", 1, "n0");
  AddMember("y", 1, "n1");
  AddMember("z", 1);
  Settle();
  const std::string condition = cluster_.GroupCondition("team");
  EXPECT_TRUE(condition.starts_with(
      "False SchedulerError: cannot determine domain for already scheduled pods: more than 1 "
      "domain found for pod group: "))
      << condition;
  EXPECT_EQ(NodeOf("z"), "");
}

TEST_F(TopologyTest, WithoutSuchNodesItWaitsForOne) {
  AddNode("n0", "", 2);
  AddGroup(1);
  AddMember("x", 1);
  Settle();
  EXPECT_EQ(cluster_.GroupCondition("team"),
            "False Unschedulable: no feasible placements found, pod group preemption: No "
            "preemption victims found for incoming preemptor");
  AddNode("n1", "a", 2);
  Settle(12);
  EXPECT_EQ(NodeOf("x"), "n1");
}

class NoTopologyTest : public TopologyTest {
 protected:
  NoTopologyTest() : TopologyTest(false) {}
};

TEST_F(NoTopologyTest, WithoutTheFeatureTheConstraintIsPassedOver) {
  AddNode("n0", "a", 1);
  AddNode("n1", "b", 1);
  AddGroup(2);
  AddMember("x", 1);
  AddMember("y", 1);
  Settle();
  EXPECT_EQ(cluster_.GroupCondition("team"), "True Scheduled: ");
}

/// Small clusters, and an exhaustive search for a rack that a gang fits in.
struct Puzzle {
  struct Node {
    std::string rack;
    int64_t cpus;
  };
  std::vector<Node> nodes;
  std::vector<int64_t> pods;
  int min_count = 1;

  static int64_t CpusOf(uint64_t chance) { return 1 + static_cast<int64_t>(chance); }
  static Puzzle Random(uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&](uint64_t most) { return random() % (most + 1); };
    Puzzle puzzle;
    const uint64_t nodes = 1 + upto(4);
    for (uint64_t i = 0; i < nodes; ++i) {
      const char* const racks[] = {"a", "b", "c", ""};
      puzzle.nodes.push_back({.rack = racks[upto(3)], .cpus = CpusOf(upto(3))});
    }
    const uint64_t pods = 1 + upto(3);
    for (uint64_t i = 0; i < pods; ++i) puzzle.pods.push_back(CpusOf(upto(2)));
    puzzle.min_count = static_cast<int>(1 + upto(pods - 1));
    return puzzle;
  }

  /// The most pods that fit on the nodes of the rack.
  int MostIn(const std::string& rack) const {
    std::vector<int64_t> room;
    for (const Node& node : nodes) {
      if (node.rack == rack) room.push_back(node.cpus);
    }
    return MostFrom(0, room);
  }
  int MostFrom(size_t pod, std::vector<int64_t>& room) const {
    if (pod == pods.size()) return 0;
    int most = MostFrom(pod + 1, room);
    for (int64_t& left : room) {
      if (left < pods[pod]) continue;
      left -= pods[pod];
      most = std::max(most, 1 + MostFrom(pod + 1, room));
      left += pods[pod];
    }
    return most;
  }
  bool Fits() const {
    return std::ranges::any_of(nodes, [&](const Node& node) {
      return !node.rack.empty() && MostIn(node.rack) >= min_count;
    });
  }
};

class TopologyProperty : public TopologyTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(TopologyProperty, AGangIsPlacedInOneDomainWheneverItFitsInOne) {
  const Puzzle puzzle = Puzzle::Random(GetParam());
  for (size_t i = 0; i < puzzle.nodes.size(); ++i) {
    AddNode(fmt::format("n{}", i), puzzle.nodes[i].rack, puzzle.nodes[i].cpus);
  }
  AddGroup(puzzle.min_count);
  for (size_t i = 0; i < puzzle.pods.size(); ++i) {
    AddMember(fmt::format("p{}", i), puzzle.pods[i]);
  }
  Settle();
  std::map<std::string, int64_t> used;
  std::set<std::string> racks;
  int placed = 0;
  for (size_t i = 0; i < puzzle.pods.size(); ++i) {
    const std::string node = NodeOf(fmt::format("p{}", i));
    if (node.empty()) continue;
    ++placed;
    used[node] += puzzle.pods[i];
    racks.insert(puzzle.nodes[static_cast<size_t>(node[1] - '0')].rack);
  }
  for (const auto& [node, cpus] : used) {
    EXPECT_LE(cpus, puzzle.nodes[static_cast<size_t>(node[1] - '0')].cpus);
  }
  EXPECT_EQ(placed > 0, puzzle.Fits());
  if (placed > 0) {
    EXPECT_EQ(racks.size(), 1U);
    EXPECT_GE(placed, puzzle.min_count);
    EXPECT_FALSE(racks.contains(""));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TopologyProperty, ::testing::Range(uint64_t{0}, uint64_t{400}));

}  // namespace
}  // namespace dray::scheduler::inline groups
