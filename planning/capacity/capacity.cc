// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/capacity.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/node_match.h"
#include "allocator/rules/taints.h"
#include "base/try.h"
#include "planning/capacity/device_population.h"
#include "planning/capacity/partitions.h"
#include "planning/objects/offline_objects.h"
#include "planning/objects/spelled_amount.h"

namespace dray::planning::inline capacity {
namespace {

namespace core = api::core_v1;
using api::Quantity;

using State = DeviceState;

/// The subject of a row: driver, pool, class, node.
using RowKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

/// Why the node repels pods without tolerations; kFree: it does not.
State StateOf(const core::Node& node) {
  if (node.spec.unschedulable) return State::kCordoned;
  State state = State::kFree;
  for (const core::Taint& taint : node.spec.taints) {
    if (taint.key == kCordonTaint) return State::kCordoned;
    if (taint.effect == "NoSchedule" || taint.effect == "NoExecute") state = State::kNodeTainted;
  }
  return state;
}

class Accountant {
 public:
  explicit Accountant(const CapacityQuestion& question)
      : question_(question),
        population_(question.slices, question.claims, question.features),
        counters_(population_.pools().size()),
        states_(population_.devices().size(), State::kLeftOut) {
    for (const auto& [name, node] : question.nodes) {
      const State state = planning::StateOf(node.As<core::Node>());
      if (state != State::kFree) closed_nodes_.emplace(name, state);
    }
  }

  Result<CapacityReport> Run() {
    report_.by = question_.by;
    for (size_t pool = 0; pool < population_.pools().size(); ++pool) DRAY_TRY_VOID(JudgePool(pool));
    if (question_.lists_devices) {
      ListDevices();
      return std::move(report_);
    }
    SortIntoRows();
    for (const auto& [key, devices] : rows_) AddRow(key, devices);
    return std::move(report_);
  }

 private:
  const PopulationDevice& At(size_t device) const { return population_.devices()[device]; }

  Result<bool> IsAskedFor(const PopulationDevice& device) const {
    if (question_.node == nullptr) return true;
    if (device.slice->spec.per_device_node_selection.value_or(false))
      return allocator::rules::IsUsableOn(*question_.node, *device.device);
    return allocator::rules::IsUsableOn(*question_.node, device.slice->spec);
  }

  /// Finds the state of each device of the pool. Errors: a node selector is invalid.
  Result<> JudgePool(size_t number) {
    const PopulationPool& pool = population_.pools()[number];
    if (!question_.driver.empty() && pool.driver != question_.driver) return {};
    if (!question_.pool.empty() && pool.name != question_.pool) return {};
    counters_[number] = std::make_unique<PoolCounters>(pool, question_.features);
    size_t devices = 0;
    for (size_t i = pool.first_device; i < pool.last_device; ++i) {
      DRAY_TRY(const bool is_asked_for, IsAskedFor(At(i)));
      if (!is_asked_for) continue;
      states_[i] = StateOf(At(i), pool);
      Count(i, report_.total);
      ++devices;
    }
    if (devices == 0 && question_.node != nullptr) return {};
    ++report_.pools;
    if (!pool.trouble.empty()) {
      report_.notes.push_back(
          fmt::format("pool {}/{} cannot be used: {}", pool.driver, pool.name, pool.trouble));
    }
    return {};
  }

  State StateOf(const PopulationDevice& device, const PopulationPool& pool) const {
    if (pool.usage->used.contains(device.device->name)) return State::kUsed;
    const bool draws = !device.device->consumes_counters.empty();
    if (!pool.trouble.empty() || (draws && !question_.features.partitionable_devices))
      return State::kUnusable;
    // A slice with counters has no devices, as in the allocator.
    if (question_.features.partitionable_devices && !device.slice->spec.shared_counters.empty())
      return State::kUnusable;
    if (IsTainted(device)) return State::kTainted;
    const auto closed = closed_nodes_.find(device.node);
    if (closed != closed_nodes_.end()) return closed->second;
    return counters_[device.pool]->HasRoomFor(*device.device) ? State::kFree : State::kBlocked;
  }

  bool IsTainted(const PopulationDevice& device) const {
    return question_.features.device_taints &&
           allocator::rules::BlockingTaint(*device.device, {}) != nullptr;
  }

  void Count(size_t device, DeviceCounts& counts) const {
    ++counts.total;
    switch (states_[device]) {
      case State::kUsed:
        ++counts.used;
        if (IsTainted(At(device))) ++counts.used_tainted;
        break;
      case State::kFree: ++counts.free; break;
      case State::kTainted: ++counts.tainted; break;
      case State::kCordoned: ++counts.cordoned; break;
      case State::kNodeTainted: ++counts.node_tainted; break;
      case State::kBlocked: ++counts.blocked; break;
      case State::kUnusable:
      case State::kLeftOut: ++counts.unusable; break;
    }
    const auto& unhealthy = question_.unhealthy;
    if (!unhealthy.empty() && unhealthy.contains(At(device).id())) ++counts.unhealthy;
  }

  void ListDevices() {
    for (const PopulationPool& pool : population_.pools()) {
      JudgedPool judged{.driver = std::string(pool.driver), .pool = std::string(pool.name)};
      for (size_t i = pool.first_device; i < pool.last_device; ++i) {
        if (states_[i] == State::kLeftOut) continue;
        judged.devices.push_back({.name = At(i).device->name,
                                  .node = std::string(At(i).node),
                                  .state = states_[i],
                                  .is_tainted = IsTainted(At(i)),
                                  .is_unhealthy = question_.unhealthy.contains(At(i).id())});
      }
      if (!judged.devices.empty()) report_.judged.push_back(std::move(judged));
    }
  }

  void SortIntoRows() {
    if (question_.by == CapacityBy::kClass) return SortByClass();
    for (size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == State::kLeftOut) continue;
      const PopulationPool& pool = population_.pools()[At(i).pool];
      RowKey key;
      std::get<0>(key) = question_.by == CapacityBy::kNode ? std::string_view() : pool.driver;
      if (question_.by == CapacityBy::kPool) std::get<1>(key) = pool.name;
      if (question_.by == CapacityBy::kNode) std::get<3>(key) = At(i).node;
      rows_[key].push_back(i);
    }
  }

  /// Adds each device to the row of each class that selects it.
  void SortByClass() {
    std::vector<bool> is_selected(states_.size());
    for (const auto& device_class : question_.classes) {
      const std::string_view name = device_class->metadata.name;
      std::vector<size_t>& row = rows_[{{}, {}, name, {}}];
      const DevicePopulation::Choice choice =
          population_.Choose(device_class->spec.selectors, question_.selectors);
      choice.matching.ForEach([&](size_t device) {
        if (states_[device] == State::kLeftOut) return;
        row.push_back(device);
        is_selected[device] = true;
      });
      if (choice.error.empty()) continue;
      report_.notes.push_back(fmt::format("class {}: a selector fails on {} of {} devices: {}",
                                          name,
                                          choice.failing.Count(),
                                          states_.size(),
                                          choice.error));
    }
    for (size_t i = 0; i < states_.size(); ++i) {
      if (!is_selected[i] && states_[i] != State::kLeftOut) rows_[RowKey()].push_back(i);
    }
  }

  void AddRow(const RowKey& key, const std::vector<size_t>& devices) {
    const auto& [driver, pool, device_class, node] = key;
    CapacityRow row{.driver = std::string(driver),
                    .pool = std::string(pool),
                    .device_class = std::string(device_class),
                    .node = std::string(node)};
    PartitionAccount partitions(question_.by, memo_);
    std::map<std::pair<std::string_view, std::string_view>, SharedCapacity> shared;
    for (size_t first = 0; first < devices.size();) {
      const size_t of_pool = At(devices[first]).pool;
      std::vector<PartitionAccount::Device> parts;
      for (; first < devices.size() && At(devices[first]).pool == of_pool; ++first) {
        const size_t i = devices[first];
        Count(i, row.devices);
        AddShares(i, shared);
        if (!At(i).device->consumes_counters.empty()) {
          const bool is_candidate = states_[i] == State::kFree || states_[i] == State::kBlocked;
          parts.push_back({.device = &At(i), .is_candidate = is_candidate});
        }
      }
      const bool can_be_cut =
          population_.pools()[of_pool].trouble.empty() && question_.features.partitionable_devices;
      if (can_be_cut) partitions.Add(*counters_[of_pool], parts);
    }
    std::move(partitions).Finish(row);
    for (auto& [name, capacity] : shared) row.shared.push_back(std::move(capacity));
    report_.rows.push_back(std::move(row));
  }

  void AddShares(size_t number,
                 std::map<std::pair<std::string_view, std::string_view>, SharedCapacity>& shared) {
    const PopulationDevice& device = At(number);
    if (!allocator::rules::IsShareable(*device.device, question_.features)) return;
    const controllers::PoolUsage& pool = *population_.pools()[device.pool].usage;
    const auto consumed = pool.consumed.find(device.device->name);
    const State state = states_[number];
    const bool is_available = state == State::kFree || (state == State::kUsed && IsOpen(device));
    for (const auto& [name, capacity] : device.device->capacity) {
      SharedCapacity& sum = shared[{device.driver(), name}];
      sum.driver = device.driver();
      sum.name = name;
      ++sum.devices;
      sum.total += capacity.value;
      Quantity left = capacity.value;
      if (consumed != pool.consumed.end()) {
        const auto used = consumed->second.find(name);
        if (used != consumed->second.end()) {
          sum.used += SpelledAs({&capacity.value}, used->second);
          left -= used->second;
        }
      }
      if (left.Sign() < 0) left = Quantity();
      (is_available ? sum.left : sum.unavailable) += left;
      if (is_available && left > sum.most) sum.most = left;
    }
  }

  /// Whether the rest of a device in use is available.
  bool IsOpen(const PopulationDevice& device) const {
    return population_.pools()[device.pool].trouble.empty() && !IsTainted(device) &&
           !closed_nodes_.contains(device.node);
  }

  const CapacityQuestion& question_;
  DevicePopulation population_;
  std::vector<std::unique_ptr<PoolCounters>> counters_;  // by pool; null: not counted
  std::vector<State> states_;                            // by device
  std::map<RowKey, std::vector<size_t>> rows_;           // devices, by pool
  std::map<std::string_view, State> closed_nodes_;
  CarvingMemo memo_;
  CapacityReport report_;
};

}  // namespace

std::string_view DeviceStateName(DeviceState state) {
  switch (state) {
    case DeviceState::kLeftOut: return "";
    case DeviceState::kUsed: return "used";
    case DeviceState::kFree: return "free";
    case DeviceState::kTainted: return "tainted";
    case DeviceState::kCordoned: return "cordoned";
    case DeviceState::kNodeTainted: return "nodeTainted";
    case DeviceState::kBlocked: return "blocked";
    case DeviceState::kUnusable: return "unusable";
  }
  return "";
}

Result<CapacityReport> CapacityOf(const CapacityQuestion& question) {
  return Accountant(question).Run();
}

}  // namespace dray::planning::inline capacity
