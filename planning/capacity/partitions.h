// SPDX-License-Identifier: Apache-2.0
// Turns devices of a pool that draw from shared counters into carving problems: one for each group
// of counter sets that share no device with others, such as one GPU of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "controllers/pool_usage.h"
#include "dray/features.h"
#include "planning/capacity/capacity_report.h"
#include "planning/capacity/carving.h"
#include "planning/capacity/device_population.h"

namespace dray::planning::inline capacity {

/// The counters of one pool, and what is left of them.
class PoolCounters {
 public:
  PoolCounters(const PopulationPool& pool, const allocator::Features& features);

  bool empty() const { return counters_.empty(); }
  /// Whether the pool has all counters that the device draws from.
  bool Has(const api::resource_v1::Device& device) const;
  /// Whether counters and groups leave room for the device, which is unused. True for devices that
  /// draw from no counter.
  bool HasRoomFor(const api::resource_v1::Device& device) const;

 private:
  friend class PartitionAccount;
  struct Counter {
    size_t set = 0;
    std::string_view name;
    std::string kind;  // the name without its number
    api::Quantity total, left;
  };

  void AddSet(const api::resource_v1::CounterSet& set);
  void AddDraw(const api::resource_v1::DeviceCounterConsumption& draw, bool is_used);
  void LookAt(const api::Quantity& amount);
  uint64_t GroupsOf(const api::resource_v1::DeviceCounterConsumption& draw) const;
  int64_t Scaled(const api::Quantity& amount) const;

  bool knows_groups_;
  std::map<std::string_view, uint64_t> group_bits_;
  controllers::CounterAmounts left_;
  std::map<std::string_view, size_t> sets_;
  std::vector<std::map<std::string_view, size_t>> by_name_;  // by set: indexes into counters_
  std::vector<Counter> counters_;
  std::vector<CarvingGroups> groups_;  // by set: of used devices
  bool is_overdrawn_ = false;
  bool in_milli_ = false;
  bool is_rounded_ = false;  // some amount is fractional even so: answers are ranges
};

/// Answers shared by many pools: equal problems are solved once.
using CarvingMemo = std::map<std::vector<int64_t>, CarvingAnswer>;

/// The partitions that can still be allocated from the devices of one row.
class PartitionAccount {
 public:
  PartitionAccount(CapacityBy by, CarvingMemo& memo) : by_(by), memo_(memo) {}

  struct Device {
    const PopulationDevice* device = nullptr;
    bool is_candidate = false;  // unused, and only counters can make it unavailable
  };
  /// Adds devices that draw from the pool's counters. The pool must be free of contradictions.
  void Add(const PoolCounters& counters, std::span<const Device> devices);
  void Finish(CapacityRow& row) &&;

 private:
  /// Driver, label, draws by kind, groups.
  using ShapeKey = std::tuple<std::string_view,
                              std::string,
                              std::vector<std::pair<std::string, int64_t>>,
                              std::vector<std::vector<std::string>>>;
  class Unit;
  class Numbers;

  size_t ShapeOf(const PoolCounters& counters, const PopulationDevice& device);
  void AddUnit(const PoolCounters& counters, const Unit& unit);
  void CountTogether();
  void AddCounters(const PoolCounters& counters,
                   std::string_view driver,
                   const std::set<size_t>& sets);

  const CapacityBy by_;
  CarvingMemo& memo_;
  std::map<ShapeKey, size_t> shape_places_;
  std::vector<PartitionShape> shapes_;
  struct Sum {
    api::Quantity total, left;
  };
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Sum> counters_;
  /// By shape, what is left of each kind of counter on GPUs that have the shape; in thousandths.
  std::vector<std::map<std::string, long double>> left_for_;
};

}  // namespace dray::planning::inline capacity
