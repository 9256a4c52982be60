// SPDX-License-Identifier: Apache-2.0
// Properties of the capacity of random clusters: the numbers add up, and equal those of a recount
// that visits each device and all claims each time.
#include "planning/capacity/capacity.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/rules/consumable_capacity.h"
#include "allocator/selector_cache.h"
#include "dray/selector.h"
#include "tests/judges/holder_claims.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;
using planning::CapacityBy;
using planning::CapacityReport;
using planning::CapacityRow;
using planning::DeviceCounts;

struct Published {
  Frozen<v1::ResourceSlice> slice;
  const v1::Device* device;
};

/// A slow and simple recount.
class Recount {
 public:
  explicit Recount(const Problem& problem)
      : problem_(problem), holders_(HoldersOf(problem.allocated)) {
    for (const auto& slice : problem.slices) {
      if (!IsNewest(*slice)) continue;
      for (const v1::Device& device : slice->spec.devices) devices_.push_back({slice, &device});
    }
  }

  const std::vector<Published>& devices() const { return devices_; }
  const std::vector<Frozen<v1::ResourceClaim>>& holders() const { return holders_; }

  void Count(const Published& one, DeviceCounts& counts) const {
    ++counts.total;
    const bool draws = !one.device->consumes_counters.empty();
    if (IsUsed(one)) {
      ++counts.used;
      if (IsTainted(*one.device)) ++counts.used_tainted;
    } else if (!IsWhole(*one.slice) || HasCounters(*one.slice) ||
               (draws && !problem_.features.partitionable_devices)) {
      ++counts.unusable;
    } else if (IsTainted(*one.device)) {
      ++counts.tainted;
    } else if (IsBlocked(one)) {
      ++counts.blocked;
    } else {
      ++counts.free;
    }
  }

  bool Matches(const v1::DeviceClass& device_class, const Published& one) const {
    v1::Device device = *one.device;
    if (problem_.features.Picked() == allocator::Implementation::kStable)
      device.allow_multiple_allocations = false;
    return std::ranges::all_of(device_class.spec.selectors, [&](const auto& selector) {
      const auto compiled =
          allocator::Selector::Compile(selector.cel->expression, problem_.features);
      const Result<bool> matches = compiled->Matches(one.slice->spec.driver, device);
      return matches && *matches;
    });
  }

  static std::string NodeOf(const Published& one) {
    const v1::ResourceSliceSpec& spec = one.slice->spec;
    if (spec.per_device_node_selection.value_or(false)) return one.device->node_name.value_or("");
    return spec.node_name.value_or("");
  }

 private:
  static bool IsOfPool(const v1::ResourceSlice& a, const v1::ResourceSlice& b) {
    return a.spec.driver == b.spec.driver && a.spec.pool.name == b.spec.pool.name;
  }

  bool IsNewest(const v1::ResourceSlice& slice) const {
    return std::ranges::none_of(problem_.slices, [&](const auto& other) {
      return IsOfPool(*other, slice) && other->spec.pool.generation > slice.spec.pool.generation;
    });
  }

  bool IsUsed(const Published& one) const {
    return std::ranges::any_of(holders_, [&](const auto& claim) {
      const auto& results = claim->status.allocation->devices.results;
      return std::ranges::any_of(results, [&](const auto& result) {
        return result.driver == one.slice->spec.driver &&
               result.pool == one.slice->spec.pool.name && result.device == one.device->name;
      });
    });
  }

  bool IsTainted(const v1::Device& device) const {
    return problem_.features.device_taints &&
           std::ranges::any_of(device.taints, [](const v1::DeviceTaint& taint) {
             return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
           });
  }

  /// The allocator then uses none of its devices; the API allows no slice with both.
  bool HasCounters(const v1::ResourceSlice& slice) const {
    return problem_.features.partitionable_devices && !slice.spec.shared_counters.empty();
  }

  /// Whether all slices of the pool exist and agree with each other.
  bool IsWhole(const v1::ResourceSlice& slice) const {
    int64_t slices = 0;
    int64_t expected = -1;  // that of the first slice
    std::set<std::string> names;
    std::map<std::string, std::set<std::string>> counters;
    bool is_sound = true;
    ForEachSlice(slice, [&](const v1::ResourceSlice& other) {
      ++slices;
      if (expected < 0) expected = other.spec.pool.resource_slice_count;
      const bool has_counters = HasCounters(other);
      for (const v1::Device& device : other.spec.devices)
        is_sound = is_sound && (has_counters || names.insert(device.name).second);
      for (const v1::CounterSet& set : other.spec.shared_counters) {
        is_sound =
            is_sound && (!problem_.features.partitionable_devices || !counters.contains(set.name));
        for (const auto& [name, counter] : set.counters) counters[set.name].insert(name);
      }
    });
    if (slices != expected) return false;
    if (!problem_.features.partitionable_devices) return is_sound;
    ForEachSlice(slice, [&](const v1::ResourceSlice& other) {
      if (HasCounters(other)) return;
      for (const v1::Device& device : other.spec.devices) {
        for (const auto& draw : device.consumes_counters) {
          for (const auto& [name, counter] : draw.counters)
            is_sound = is_sound && counters[draw.counter_set].contains(name);
        }
      }
    });
    return is_sound;
  }

  void ForEachSlice(const v1::ResourceSlice& of_pool, const auto& visit) const {
    for (const auto& other : problem_.slices) {
      const bool is_meant =
          IsOfPool(*other, of_pool) && other->spec.pool.generation == of_pool.spec.pool.generation;
      if (is_meant) visit(*other);
    }
  }

  /// Whether the device and all used ones would overdraw some counter of the pool.
  bool IsBlocked(const Published& one) const {
    if (one.device->consumes_counters.empty()) return false;
    std::map<std::pair<std::string, std::string>, Quantity> left;
    ForEachSlice(*one.slice, [&](const v1::ResourceSlice& slice) {
      for (const v1::CounterSet& set : slice.spec.shared_counters) {
        for (const auto& [name, counter] : set.counters) left[{set.name, name}] += counter.value;
      }
    });
    for (const Published& other : devices_) {
      const bool is_there =
          other.device == one.device || (IsOfPool(*other.slice, *one.slice) && IsUsed(other));
      if (!is_there) continue;
      for (const auto& draw : other.device->consumes_counters) {
        for (const auto& [name, counter] : draw.counters)
          left[{draw.counter_set, name}] -= counter.value;
      }
    }
    return std::ranges::any_of(left, [](const auto& amount) { return amount.second.Sign() < 0; });
  }

  const Problem& problem_;
  std::vector<Frozen<v1::ResourceClaim>> holders_;
  std::vector<Published> devices_;
};

/// By the subject of the row, as text.
using Named = std::map<std::string, DeviceCounts>;

std::string TextOf(const Named& rows) {
  std::string text;
  for (const auto& [name, counts] : rows) {
    text += fmt::format("{}: {} = {} used + {} free + {} tainted + {} blocked + {} unusable; {}\n",
                        name,
                        counts.total,
                        counts.used,
                        counts.free,
                        counts.tainted,
                        counts.blocked,
                        counts.unusable,
                        counts.used_tainted);
  }
  return text;
}

std::string NameOf(CapacityBy by, const CapacityRow& row) {
  switch (by) {
    case CapacityBy::kDriver: return row.driver;
    case CapacityBy::kPool: return row.driver + "/" + row.pool;
    case CapacityBy::kClass: return row.device_class;
    case CapacityBy::kNode: return row.node;
  }
  return {};
}

Named Recounted(const Problem& problem, const Recount& recount, CapacityBy by) {
  Named rows;
  if (by == CapacityBy::kClass) {
    for (const auto& device_class : problem.classes) rows[device_class->metadata.name];
  }
  for (const Published& one : recount.devices()) {
    const v1::ResourceSliceSpec& spec = one.slice->spec;
    bool has_class = false;
    switch (by) {
      case CapacityBy::kDriver: recount.Count(one, rows[spec.driver]); break;
      case CapacityBy::kPool: recount.Count(one, rows[spec.driver + "/" + spec.pool.name]); break;
      case CapacityBy::kNode: recount.Count(one, rows[Recount::NodeOf(one)]); break;
      case CapacityBy::kClass:
        for (const auto& device_class : problem.classes) {
          if (!recount.Matches(*device_class, one)) continue;
          recount.Count(one, rows[device_class->metadata.name]);
          has_class = true;
        }
        if (!has_class) recount.Count(one, rows[""]);
        break;
    }
  }
  return rows;
}

void ExpectSums(const CapacityRow& row) {
  const DeviceCounts& counts = row.devices;
  EXPECT_EQ(counts.total,
            counts.used + counts.free + counts.tainted + counts.blocked + counts.unusable);
  EXPECT_EQ(counts.cordoned + counts.node_tainted, 0U);  // no node is cordoned or tainted
  EXPECT_LE(counts.used_tainted, counts.used);
  bool fits = false;
  for (const planning::PartitionShape& shape : row.shapes) {
    EXPECT_LE(shape.fit.least, shape.fit.most);
    EXPECT_LE(shape.fit.most, shape.devices);
    EXPECT_LE(shape.together, shape.fit.most);
    fits = fits || shape.fit.least > 0;
  }
  EXPECT_EQ(fits, row.largest.has_value());
  if (row.fragmentation.has_value()) {
    EXPECT_GE(row.fragmentation->Lost(), 0);
    EXPECT_LE(row.fragmentation->Lost(), 1);
    EXPECT_GT(row.fragmentation->if_together, 0U);
  }
  for (const planning::SharedCapacity& shared : row.shared) {
    EXPECT_LE(shared.most, shared.left);
    const Quantity sum = shared.used + shared.left + shared.unavailable;
    EXPECT_GE(sum, shared.total);  // more if claims have too much
  }
}

/// Whether the problem's features leave its slices as this test counts them.
bool IsPlain(const Problem& problem) {
  return problem.features.release == api::Release::kNewest &&
         !problem.features.compatibility_groups;
}

TEST(CapacityProperty, AddsUpAndIsARecount) {
  constexpr uint64_t kProblems = 400;
  uint64_t partitions = 0;
  uint64_t blocked = 0;
  uint64_t shares = 0;
  for (uint64_t seed = 1; seed <= Instances(kProblems); ++seed) {
    const Problem problem = RandomProblem(seed, {.nodes_max = 3, .devices_max = 12});
    if (!IsPlain(problem)) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, EncodeProblem(problem)));
    const Recount recount(problem);
    const auto selectors = allocator::SelectorCacheFor(problem.features, 100);
    for (const CapacityBy by :
         {CapacityBy::kDriver, CapacityBy::kPool, CapacityBy::kClass, CapacityBy::kNode}) {
      const Result<CapacityReport> report = planning::CapacityOf({.slices = problem.slices,
                                                                  .claims = recount.holders(),
                                                                  .classes = problem.classes,
                                                                  .unhealthy = {},
                                                                  .nodes = {},
                                                                  .features = problem.features,
                                                                  .selectors = *selectors,
                                                                  .by = by});
      ASSERT_TRUE(report.has_value()) << report.error().message;
      Named rows;
      size_t devices = 0;
      for (const CapacityRow& row : report->rows) {
        ExpectSums(row);
        rows[NameOf(by, row)] = row.devices;
        devices += row.devices.total;
        partitions += row.shapes.size();
        blocked += row.devices.blocked;
        shares += row.shared.size();
      }
      EXPECT_EQ(report->total.total, recount.devices().size());
      if (by != CapacityBy::kClass) EXPECT_EQ(devices, report->total.total);
      EXPECT_EQ(TextOf(rows), TextOf(Recounted(problem, recount, by)));
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(partitions, 20U);
  EXPECT_GT(blocked, 5U);
  EXPECT_GT(shares, 20U);
}

}  // namespace
}  // namespace dray::judges
