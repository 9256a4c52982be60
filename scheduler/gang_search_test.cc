// SPDX-License-Identifier: Apache-2.0
#include "scheduler/gang_search.h"

#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/claims/pod_groups.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "dray/selector.h"
#include "scheduler/devices.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr const char* kDriver = "gpu.acme.example";

/// A cluster of nodes with devices that come whole or in halves, and devices that all nodes reach.
class World {
 public:
  explicit World(std::shared_ptr<cel::SelectorCache> selectors = allocator::SelectorCacheFor({}, 9))
      : devices_({.selectors = std::move(selectors)}) {
    for (const char* const kind : {"whole", "half", "net"}) {
      AddClass(kind, fmt::format(R"(device.attributes["{}"].kind == "{}")", kDriver, kind));
    }
    AddClass("gpu", fmt::format(R"(device.attributes["{}"].kind != "net")", kDriver));
    AddClass("any", "true");
  }

  /// Of each GPU first the whole is listed, then its halves.
  void AddNode(int gpus, int64_t cpus) {
    const std::string name = fmt::format("node-{}", states_.size());
    core_v1::Node node;
    node.metadata.name = name;
    node.metadata.labels["kubernetes.io/hostname"] = name;
    node.status.allocatable["cpu"] = api::Quantity::FromInt(cpus);
    node.status.allocatable["pods"] = api::Quantity::FromInt(110);
    states_.push_back({.node = api::Object::Of(node), .allocatable = AllocatableOf(node)});
    if (gpus == 0) return;
    resource_v1::ResourceSlice counters = Slice(name, name + "-counters", 2);
    resource_v1::ResourceSlice slice = Slice(name, name + "-gpus", 2);
    for (auto* part : {&counters, &slice}) part->spec.node_name = name;
    for (int i = 0; i < gpus; ++i) {
      const std::string gpu = fmt::format("gpu-{}", i);
      resource_v1::CounterSet set{.name = gpu};
      set.counters["units"].value = api::Quantity::FromInt(2);
      counters.spec.shared_counters.push_back(std::move(set));
      slice.spec.devices.push_back(Part(gpu, "whole", gpu, 2));
      for (const char* const half : {"a", "b"}) {
        slice.spec.devices.push_back(Part(gpu + half, "half", gpu, 1));
      }
    }
    Publish(std::move(counters));
    Publish(std::move(slice));
  }
  /// Devices that every node can use.
  void AddNetwork(int count) {
    if (count == 0) return;
    resource_v1::ResourceSlice slice = Slice("net", "net", 1);
    slice.spec.all_nodes = true;
    for (int i = 0; i < count; ++i) {
      resource_v1::Device device{.name = fmt::format("net-{}", i)};
      device.attributes["kind"].string = "net";
      slice.spec.devices.push_back(std::move(device));
    }
    Publish(std::move(slice));
  }

  /// "2 half": a claim for two halves. Named "=NAME", it is made once and shared.
  void AddMember(const std::string& name,
                 const std::vector<std::string>& claims,
                 int64_t cpus = 0) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.metadata.uid = "uid-" + name;
    core_v1::Container container;
    container.name = "main";
    container.resources.requests["cpu"] = api::Quantity::FromInt(cpus);
    pod.spec.containers.push_back(std::move(container));
    GroupMember member;
    for (const std::string& claim : claims) {
      member.claims.push_back(claim.starts_with("=") ? shared_.at(claim.substr(1))
                                                     : Claim(name + "-claim", claim));
      member.consumers.push_back(api::claims::ConsumerOf(pod));
    }
    member.pod = api::Object::Of(std::move(pod));
    members_.push_back(std::move(member));
  }
  void AddShared(const std::string& name, const std::string& what) {
    shared_.emplace(name, Claim(name, what));
  }

  GroupOutcome PlaceAlone(int64_t min_count) {
    PlacedSoFar placed(taken_, 0);
    return PlaceGroup(members_, Progress(min_count), Next(), placed);
  }
  GroupOutcome Place(int64_t min_count) {
    PlacedSoFar placed(taken_, 0);
    GroupOutcome outcome = PlaceGang(members_, Progress(min_count), Next(), Board(), placed);
    outcome.chosen = placed.Chosen();
    return outcome;
  }
  /// The search alone, with that many questions.
  bool IsFoundWith(size_t questions_max, size_t needed) {
    PlacedSoFar placed(taken_, 0);
    GangBoard board = Board();
    board.questions_max = questions_max;
    return SearchGang(members_, needed, board, placed).has_value();
  }
  bool is_anything_held() const { return !taken_.state().devices.empty(); }
  size_t questions() const { return questions_; }
  std::span<const GroupMember> members() const { return members_; }
  size_t nodes() const { return states_.size(); }

 private:
  static resource_v1::ResourceSlice Slice(const std::string& pool,
                                          const std::string& name,
                                          int64_t count) {
    resource_v1::ResourceSlice slice;
    slice.metadata.name = name;
    slice.spec.driver = kDriver;
    slice.spec.pool = {.name = pool, .generation = 1, .resource_slice_count = count};
    return slice;
  }
  static resource_v1::Device Part(const std::string& name,
                                  const std::string& kind,
                                  const std::string& gpu,
                                  int64_t units) {
    resource_v1::Device device{.name = name};
    device.attributes["kind"].string = kind;
    resource_v1::DeviceCounterConsumption consumption{.counter_set = gpu};
    consumption.counters["units"].value = api::Quantity::FromInt(units);
    device.consumes_counters.push_back(std::move(consumption));
    return device;
  }
  void Publish(resource_v1::ResourceSlice slice) {
    slices_[fmt::format("{}/{}", slice.spec.driver, slice.spec.pool.name)].push_back(
        slice.metadata.name);
    const allocator::ClusterChange change =
        std::make_shared<const resource_v1::ResourceSlice>(std::move(slice));
    devices_ = devices_.With({&change, 1});
  }
  void AddClass(const std::string& name, const std::string& expression) {
    resource_v1::DeviceClass made;
    made.metadata.name = name;
    made.spec.selectors.emplace_back().cel.emplace().expression = expression;
    const allocator::ClusterChange change =
        std::make_shared<const resource_v1::DeviceClass>(std::move(made));
    devices_ = devices_.With({&change, 1});
  }
  static api::Object Claim(const std::string& name, const std::string& what) {
    resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.uid = "uid-" + name;
    resource_v1::DeviceRequest request{.name = "r"};
    request.exactly.emplace();
    request.exactly->device_class_name = what.substr(2);
    request.exactly->allocation_mode = "ExactCount";
    request.exactly->count = what[0] - '0';
    claim.spec.devices.requests.push_back(std::move(request));
    return api::Object::Of(std::move(claim));
  }

  GroupProgress Progress(int64_t min_count) const {
    return {
        .min_count = min_count, .scheduled = 0, .remaining = static_cast<int64_t>(members_.size())};
  }
  const allocator::Snapshot& Devices() {
    taken_.BringUpToDate(devices_);
    return devices_;
  }
  Decision DecideOn(const core_v1::Pod& pod,
                    std::span<const api::Object> claims,
                    const PlacedSoFar& placed,
                    const NodeState* only,
                    const DeviceSearch& search) {
    std::deque<NodeState> copies;
    std::vector<const NodeState*> nodes;
    std::optional<size_t> only_node;
    for (const NodeState& state : states_) {
      if (only == &state) only_node = nodes.size();
      nodes.push_back(&state);
    }
    placed.PutOn(nodes, copies);
    std::deque<allocator::Attempt> attempts;
    const DeviceSearch usual = [&](std::span<const Frozen<resource_v1::ResourceClaim>> wanted) {
      attempts.emplace_back(Devices(), wanted);
      return [attempt = &attempts.back()](const core_v1::Node& node) {
        return attempt->Allocate(node);
      };
    };
    return Decide(pod,
                  claims,
                  {.nodes = nodes,
                   .first_node = placed.first_node() % nodes.size(),
                   .only_node = only_node,
                   .in_flight = [this](std::string_view uid) { return taken_.in_flight(uid); },
                   .has_class = [](std::string_view) { return true; },
                   .search = search ? search : usual},
                  {});
  }
  DecideNext Next() {
    return [this](const auto& pod, auto claims, const auto& placed) {
      return DecideOn(pod, claims, placed, nullptr, {});
    };
  }
  GangBoard Board() {
    GangBoard board;
    for (const NodeState& state : states_) board.nodes.push_back(&state);
    board.decide_on = [this](const auto& pod,
                             auto claims,
                             const auto& placed,
                             const NodeState& node,
                             const DeviceSearch& search) {
      ++questions_;
      return DecideOn(pod, claims, placed, &node, search);
    };
    board.allocate = [this](auto claims, const core_v1::Node& node, const Banned& banned) {
      const SlicesOf slices_of = [this](const std::string& pool) { return slices_[pool]; };
      const allocator::Attempt attempt(WithoutBanned(Devices(), banned, slices_of), claims);
      return attempt.Allocate(node);
    };
    board.is_shared = [](const auto& result) { return result.pool == "net"; };
    return board;
  }

  TakenDevices taken_;
  allocator::Snapshot devices_;
  std::map<std::string, std::vector<std::string>> slices_;  // by pool
  std::deque<NodeState> states_;
  std::vector<GroupMember> members_;
  std::map<std::string, api::Object> shared_;
  size_t questions_ = 0;
};

TEST(SearchGang, UpstreamsExampleFits) {
  // kubernetes/kubernetes#138765: the first pod takes the whole device, though a half would do.
  World world;
  world.AddNode(1, 8);
  world.AddMember("a", {"1 gpu"});
  world.AddMember("b", {"1 gpu"});
  EXPECT_EQ(world.PlaceAlone(2).kind, GroupOutcome::Kind::kUnschedulable);
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_EQ(outcome.chosen.at("uid-a-claim").devices.results[0].device, "gpu-0a");
  EXPECT_EQ(outcome.chosen.at("uid-b-claim").devices.results[0].device, "gpu-0b");
  EXPECT_FALSE(world.is_anything_held());
}

TEST(SearchGang, AnEarlierPodMakesWayOnAnotherNode) {
  World world;
  world.AddNode(1, 8);
  world.AddNode(0, 8);
  world.AddNetwork(1);
  world.AddMember("a", {"1 any"});  // takes what the other needs: pools go by their names
  world.AddMember("b", {"1 net"});
  EXPECT_EQ(world.Place(2).kind, GroupOutcome::Kind::kScheduled);
}

TEST(SearchGang, ADeviceOfAllNodesIsLeftToWhoNeedsIt) {
  World world;
  world.AddNode(1, 1);
  world.AddNode(0, 1);
  world.AddNetwork(1);
  world.AddMember("a", {"1 any"}, 1);
  world.AddMember("b", {"1 any"}, 1);
  EXPECT_EQ(world.Place(2).kind, GroupOutcome::Kind::kScheduled);
}

TEST(SearchGang, ASharedClaimIsWhereAllItsPodsAre) {
  World world;
  world.AddNode(1, 1);
  world.AddNode(1, 2);
  world.AddShared("both", "1 half");
  world.AddMember("a", {"=both"}, 1);
  world.AddMember("b", {"=both"}, 1);
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_EQ(outcome.chosen.at("uid-both").devices.results[0].pool, "node-1");
}

TEST(SearchGang, PodsBeyondMinCountGoAlongIfTheyCan) {
  World world;
  world.AddNode(1, 8);
  for (const char* const name : {"a", "b", "c"}) world.AddMember(name, {"1 gpu"});
  world.AddMember("d", {});
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_TRUE(std::holds_alternative<Unschedulable>(*outcome.decisions[2]));
  EXPECT_TRUE(std::holds_alternative<Placement>(*outcome.decisions[3]));
}

TEST(SearchGang, AsksNoMoreThanItMay) {
  // Five pods for four halves: every way to place four of them is tried.
  World world;
  for (int i = 0; i < 8; ++i) world.AddNode(1, 1);
  for (int i = 0; i < 9; ++i) {
    world.AddMember(fmt::format("p{}", i), {i % 2 == 0 ? "1 gpu" : "1 half"}, 1);
  }
  EXPECT_FALSE(world.IsFoundWith(kGangQuestionsMax, 9));
  EXPECT_EQ(world.questions(), kGangQuestionsMax);
}

TEST(SearchGang, GoesOnlySoDeep) {
  World world;
  world.AddNode(1, 8);
  for (size_t i = 0; i < kGangMembersMax; ++i) world.AddMember(fmt::format("p{}", i), {"1 gpu"});
  EXPECT_TRUE(world.IsFoundWith(kGangQuestionsMax, 2));
  world.AddMember("one-too-many", {"1 gpu"});
  EXPECT_FALSE(world.IsFoundWith(kGangQuestionsMax, 2));
}

TEST(SearchGang, NeedsAsManyQuestionsAsItAsks) {
  World world;
  world.AddNode(1, 8);
  world.AddMember("a", {"1 gpu"});
  world.AddMember("b", {"1 gpu"});
  EXPECT_TRUE(world.IsFoundWith(2, 2));
  EXPECT_FALSE(world.IsFoundWith(1, 2));
}

// ------------------------------------------------------------------------------------------------
// Against all there is to try.

/// A small problem as numbers: devices are bits.
struct GangPuzzle {
  struct Want {
    int count;
    std::string kind;
  };
  struct Member {
    int64_t cpus;
    std::optional<Want> own;
    bool shares;
  };
  struct Device {
    int node;  // -1: all
    int gpu;   // -1: none
    int units;
    std::string kind;
  };
  std::vector<int64_t> cpus;  // by node
  std::vector<int> gpus;      // by node
  int net = 0;
  std::vector<Member> members;
  Want shared{};
  int64_t min_count = 2;

  std::vector<Device> Devices() const {
    std::vector<Device> devices;
    int gpu = 0;
    for (size_t node = 0; node < gpus.size(); ++node) {
      for (int i = 0; i < gpus[node]; ++i, ++gpu) {
        const int at = static_cast<int>(node);
        devices.push_back({.node = at, .gpu = gpu, .units = 2, .kind = "whole"});
        devices.push_back({.node = at, .gpu = gpu, .units = 1, .kind = "half"});
        devices.push_back({.node = at, .gpu = gpu, .units = 1, .kind = "half"});
      }
    }
    for (int i = 0; i < net; ++i) {
      devices.push_back({.node = -1, .gpu = -1, .units = 0, .kind = "net"});
    }
    return devices;
  }
};

bool Serves(const GangPuzzle::Device& device, const std::string& kind) {
  return kind == "any" || kind == device.kind || (kind == "gpu" && device.kind != "net");
}

/// Tries everything.
class BruteForce {
 public:
  explicit BruteForce(const GangPuzzle& puzzle)
      : puzzle_(puzzle), devices_(puzzle.Devices()), cpus_(puzzle.cpus) {
    for (const auto& device : devices_) {
      if (device.gpu >= 0) units_.resize(static_cast<size_t>(device.gpu) + 1, 2);
    }
  }
  bool Fits() { return From(0, 0); }

 private:
  bool From(size_t member, int64_t placed) {
    const auto left = static_cast<int64_t>(puzzle_.members.size() - member);
    if (placed >= puzzle_.min_count) return true;
    if (placed + left < puzzle_.min_count) return false;
    for (size_t node = 0; node < cpus_.size(); ++node) {
      if (On(member, node, placed)) return true;
    }
    return From(member + 1, placed);
  }

  bool On(size_t member, size_t node, int64_t placed) {
    const GangPuzzle::Member& one = puzzle_.members[member];
    if (cpus_[node] < one.cpus) return false;
    const int at = static_cast<int>(node);
    const bool needs_shared = one.shares && shared_ == 0;
    if (one.shares && shared_ != 0 && !IsIn(shared_, at)) return false;
    cpus_[node] -= one.cpus;
    const auto go_on = [&] { return From(member + 1, placed + 1); };
    const auto own = [&] { return one.own ? Choose(*one.own, at, 0, 0, go_on) : go_on(); };
    const bool found = needs_shared ? ChooseShared(at, own) : own();
    cpus_[node] += one.cpus;
    return found;
  }

  bool IsIn(uint32_t set, int node) const {
    for (size_t i = 0; i < devices_.size(); ++i) {
      if ((set >> i & 1U) != 0 && devices_[i].node >= 0 && devices_[i].node != node) return false;
    }
    return true;
  }

  template <class Then>
  bool ChooseShared(int node, const Then& then) {
    const uint32_t before = used_;
    return Choose(puzzle_.shared, node, 0, 0, [&] {
      shared_ = used_ & ~before;
      const bool found = then();
      shared_ = 0;
      return found;
    });
  }

  template <class Then>
  bool Choose(const GangPuzzle::Want& want, int node, size_t from, int chosen, const Then& then) {
    if (chosen == want.count) return then();
    for (size_t i = from; i < devices_.size(); ++i) {
      const GangPuzzle::Device& device = devices_[i];
      const auto gpu = static_cast<size_t>(device.gpu);
      if ((used_ >> i & 1U) != 0 || !Serves(device, want.kind) ||
          (device.node >= 0 && device.node != node) ||
          (device.gpu >= 0 && units_[gpu] < device.units)) {
        continue;
      }
      used_ |= 1U << i;
      if (device.gpu >= 0) units_[gpu] -= device.units;
      const bool found = Choose(want, node, i + 1, chosen + 1, then);
      used_ &= ~(1U << i);
      if (device.gpu >= 0) units_[gpu] += device.units;
      if (found) return true;
    }
    return false;
  }

  const GangPuzzle& puzzle_;
  std::vector<GangPuzzle::Device> devices_;
  std::vector<int64_t> cpus_;
  std::vector<int> units_;  // left of each GPU
  uint32_t used_ = 0;
  uint32_t shared_ = 0;  // the devices of the shared claim
};

GangPuzzle RandomPuzzle(std::mt19937& random) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const std::vector<std::string> kinds = {"any", "gpu", "gpu", "half", "half", "whole", "net"};
  const auto want = [&] {
    return GangPuzzle::Want{.count = below(4) == 0 ? 2 : 1,
                            .kind = kinds[static_cast<size_t>(below(7))]};
  };
  GangPuzzle puzzle;
  const int nodes = 1 + below(3);
  int gpus = 0;
  for (int i = 0; i < nodes; ++i) {
    puzzle.cpus.push_back(1 + below(4));
    puzzle.gpus.push_back(gpus < 2 ? below(2 + (nodes == 1 ? 1 : 0)) : 0);
    gpus += puzzle.gpus.back();
  }
  puzzle.net = below(3);
  puzzle.shared = want();
  const bool has_shared = below(3) == 0;
  const int members = 2 + below(3);
  for (int i = 0; i < members; ++i) {
    GangPuzzle::Member member{
        .cpus = below(3), .own = want(), .shares = has_shared && below(2) == 0};
    if (member.shares && below(2) == 0) member.own.reset();
    puzzle.members.push_back(std::move(member));
  }
  puzzle.min_count = 2 + below(members - 1);
  return puzzle;
}

void Build(const GangPuzzle& puzzle, World& world) {
  for (size_t i = 0; i < puzzle.cpus.size(); ++i) world.AddNode(puzzle.gpus[i], puzzle.cpus[i]);
  world.AddNetwork(puzzle.net);
  const auto text = [](const GangPuzzle::Want& want) {
    return fmt::format("{} {}", want.count, want.kind);
  };
  world.AddShared("shared", text(puzzle.shared));
  for (size_t i = 0; i < puzzle.members.size(); ++i) {
    const GangPuzzle::Member& member = puzzle.members[i];
    std::vector<std::string> claims;
    if (member.shares) claims.emplace_back("=shared");
    if (member.own) claims.push_back(text(*member.own));
    world.AddMember(fmt::format("p{}", i), claims, member.cpus);
  }
}

/// What is wrong with the outcome; empty: nothing.
std::string Fault(const GangPuzzle& puzzle, const World& world, const GroupOutcome& outcome) {
  std::map<std::string, int64_t> cpus;
  int64_t placed = 0;
  for (size_t i = 0; i < world.members().size(); ++i) {
    const auto* placement = std::get_if<Placement>(&*outcome.decisions[i]);
    if (placement == nullptr) continue;
    ++placed;
    cpus[placement->node] += puzzle.members[i].cpus;
    for (const api::Object& claim : world.members()[i].claims) {
      const auto chosen = outcome.chosen.find(claim.metadata().uid);
      if (chosen == outcome.chosen.end()) return "a claim without devices";
      for (const auto& result : chosen->second.devices.results) {
        if (result.pool != "net" && result.pool != placement->node) return "devices elsewhere";
      }
    }
  }
  if (placed < puzzle.min_count) return "too few pods";
  for (size_t i = 0; i < puzzle.cpus.size(); ++i) {
    if (cpus[fmt::format("node-{}", i)] > puzzle.cpus[i]) return "too many processors";
  }
  std::map<std::string, int> units;  // by GPU
  std::set<std::string> used;
  for (const auto& [uid, allocation] : outcome.chosen) {
    for (const auto& result : allocation.devices.results) {
      if (!used.insert(result.pool + "/" + result.device).second) return "a device twice";
      if (result.pool == "net") continue;
      const bool is_half = result.device.ends_with('a') || result.device.ends_with('b');
      const std::string gpu =
          is_half ? result.device.substr(0, result.device.size() - 1) : result.device;
      int& taken = units[result.pool + "/" + gpu];
      taken += is_half ? 1 : 2;
      if (taken > 2) return "more than a whole";
    }
  }
  return {};
}

class GangProperty : public ::testing::TestWithParam<uint32_t> {};

TEST_P(GangProperty, AGangIsPlacedWheneverItFits) {
  constexpr int kClusters = 500;
  std::mt19937 random(GetParam());
  int fit = 0;
  int only_together = 0;
  const auto selectors = allocator::SelectorCacheFor({}, 9);
  for (int i = 0; i < kClusters; ++i) {
    const GangPuzzle puzzle = RandomPuzzle(random);
    World world(selectors);
    Build(puzzle, world);
    const GroupOutcome alone = world.PlaceAlone(puzzle.min_count);
    const GroupOutcome together = world.Place(puzzle.min_count);
    const bool fits = BruteForce(puzzle).Fits();
    const bool is_placed = together.kind == GroupOutcome::Kind::kScheduled;
    ASSERT_EQ(is_placed, fits) << "cluster " << i;
    ASSERT_FALSE(world.is_anything_held());
    if (!fits) continue;
    ++fit;
    ASSERT_EQ(Fault(puzzle, world, together), "") << "cluster " << i;
    if (alone.kind != GroupOutcome::Kind::kScheduled) {
      ++only_together;
      continue;
    }
    for (size_t member = 0; member < puzzle.members.size(); ++member) {
      const auto* one = std::get_if<Placement>(&*alone.decisions[member]);
      const auto* other = std::get_if<Placement>(&*together.decisions[member]);
      ASSERT_EQ(one == nullptr, other == nullptr);
      if (one != nullptr) ASSERT_EQ(one->node, other->node) << "where upstream finds an answer";
    }
  }
  EXPECT_GT(fit, kClusters / 5);
  EXPECT_GT(only_together, kClusters / 50);
  RecordProperty("fit", fit);
  RecordProperty("only_together", only_together);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GangProperty, ::testing::Range(1U, 11U));

}  // namespace
}  // namespace dray::scheduler
