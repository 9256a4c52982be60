// SPDX-License-Identifier: Apache-2.0
// Compares gang searches with exhaustive search.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/selector_cache.h"
#include "dray/selector.h"
#include "scheduler/groups/gang_search.h"
#include "scheduler/testing/gang_world.h"

namespace dray::scheduler::inline groups {
namespace {

using testing::GangCompany;
using testing::GangWorld;

/// A small problem in numbers; sets of devices are bit masks.
struct GangPuzzle {
  struct Want {
    int count;
    std::string kind;
    bool tolerates = false;
  };
  struct Member {
    int64_t cpus;
    std::optional<Want> own;
    bool shares;
    GangCompany company;
  };
  struct Device {
    int node;  // -1: all
    int gpu;   // -1: none
    int units;
    std::string kind;
    bool tainted = false;
  };
  std::vector<int64_t> cpus;  // by node
  std::vector<int> gpus;      // by node
  int net = 0;
  int tainted = 0;  // of these
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
      devices.push_back({.node = -1, .gpu = -1, .units = 0, .kind = "net", .tainted = i < tainted});
    }
    return devices;
  }
};

bool Serves(const GangPuzzle::Device& device, const GangPuzzle::Want& want) {
  const std::string& kind = want.kind;
  if (device.tainted && !want.tolerates) return false;
  return kind == "any" || kind == device.kind || (kind == "gpu" && device.kind != "net");
}

/// Tries all placements.
class BruteForce {
 public:
  explicit BruteForce(const GangPuzzle& puzzle)
      : puzzle_(puzzle), devices_(puzzle.Devices()), cpus_(puzzle.cpus), pods_(puzzle.cpus.size()) {
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
    if (cpus_[node] < one.cpus || IsAvoided(one, node)) return false;
    const int at = static_cast<int>(node);
    const bool needs_shared = one.shares && shared_ == 0;
    if (one.shares && shared_ != 0 && !IsIn(shared_, at)) return false;
    cpus_[node] -= one.cpus;
    pods_[node].push_back(&one);
    const auto go_on = [&] { return From(member + 1, placed + 1); };
    const auto own = [&] { return one.own ? Choose(*one.own, at, 0, 0, go_on) : go_on(); };
    const bool found = needs_shared ? ChooseShared(at, own) : own();
    cpus_[node] += one.cpus;
    pods_[node].pop_back();
    return found;
  }

  /// Whether the member avoids a pod on the node, or one of these pods avoids the member.
  bool IsAvoided(const GangPuzzle::Member& one, size_t node) const {
    const auto avoids = [](const GangCompany& a, const GangCompany& b) {
      return !a.avoids.empty() && a.avoids == b.is;
    };
    return std::ranges::any_of(pods_[node], [&](const GangPuzzle::Member* other) {
      return avoids(one.company, other->company) || avoids(other->company, one.company);
    });
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
      if ((used_ >> i & 1U) != 0 || !Serves(device, want) ||
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
  std::vector<std::vector<const GangPuzzle::Member*>> pods_;  // by node
  std::vector<int> units_;                                    // left of each GPU
  uint32_t used_ = 0;
  uint32_t shared_ = 0;  // the devices of the shared claim
};

GangPuzzle RandomPuzzle(std::mt19937& random) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const std::vector<std::string> kinds = {"any", "gpu", "gpu", "half", "half", "whole", "net"};
  const auto want = [&] {
    return GangPuzzle::Want{.count = below(4) == 0 ? 2 : 1,
                            .kind = kinds[static_cast<size_t>(below(7))],
                            .tolerates = below(3) == 0};
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
  puzzle.tainted = puzzle.net > 0 && below(3) == 0 ? 1 + below(puzzle.net) : 0;
  const std::vector<std::string> apps = {"", "a", "b"};
  const bool has_company = below(2) == 0;
  puzzle.shared = want();
  const bool has_shared = below(3) == 0;
  const int members = 2 + below(3);
  for (int i = 0; i < members; ++i) {
    GangPuzzle::Member member{
        .cpus = below(3), .own = want(), .shares = has_shared && below(2) == 0};
    if (has_company) {
      member.company.is = apps[static_cast<size_t>(below(3))];
      if (below(2) == 0) member.company.avoids = apps[static_cast<size_t>(below(3))];
    }
    if (member.shares && below(2) == 0) member.own.reset();
    puzzle.members.push_back(std::move(member));
  }
  puzzle.min_count = 2 + below(members - 1);
  return puzzle;
}

void Build(const GangPuzzle& puzzle, GangWorld& world) {
  for (size_t i = 0; i < puzzle.cpus.size(); ++i) world.AddNode(puzzle.gpus[i], puzzle.cpus[i]);
  world.AddNetwork(puzzle.net, puzzle.tainted);
  const auto text = [](const GangPuzzle::Want& want) {
    return fmt::format("{} {}{}", want.count, want.kind, want.tolerates ? "!" : "");
  };
  world.AddShared("shared", text(puzzle.shared));
  for (size_t i = 0; i < puzzle.members.size(); ++i) {
    const GangPuzzle::Member& member = puzzle.members[i];
    std::vector<std::string> claims;
    if (member.shares) claims.emplace_back("=shared");
    if (member.own) claims.push_back(text(*member.own));
    world.AddMember(fmt::format("p{}", i), claims, member.cpus, member.company);
  }
}

/// The mistake in the outcome; empty: there is none.
std::string Fault(const GangPuzzle& puzzle, const GangWorld& world, const GroupOutcome& outcome) {
  std::map<std::string, int64_t> cpus;
  std::set<std::string> apps;     // "node/app" of the pods on nodes
  std::set<std::string> avoided;  // "node/app" that they avoid
  int64_t placed = 0;
  for (size_t i = 0; i < world.members().size(); ++i) {
    const auto* placement = std::get_if<Placement>(&*outcome.decisions[i]);
    if (placement == nullptr) continue;
    ++placed;
    cpus[placement->node] += puzzle.members[i].cpus;
    const GangCompany& company = puzzle.members[i].company;
    if (!company.is.empty()) apps.insert(placement->node + "/" + company.is);
    if (!company.avoids.empty() && company.avoids != company.is) {
      avoided.insert(placement->node + "/" + company.avoids);
    }
    for (const api::Object& claim : world.members()[i].claims) {
      const auto chosen = outcome.chosen.find(claim.metadata().uid);
      if (chosen == outcome.chosen.end()) return "a claim without devices";
      for (const auto& result : chosen->second.devices.results) {
        if (result.pool != "net" && result.pool != placement->node) return "devices elsewhere";
      }
    }
  }
  if (placed < puzzle.min_count) return "too few pods";
  for (const std::string& one : avoided) {
    if (apps.contains(one)) return "a pod beside one that it avoids";
  }
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
    GangWorld world(selectors);
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
}  // namespace dray::scheduler::inline groups
