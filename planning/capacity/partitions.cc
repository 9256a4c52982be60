// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/partitions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dray::planning::inline capacity {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;

constexpr size_t kGroupBits = 64;

/// "memory-slice-*" of "memory-slice-3".
std::string KindOf(std::string_view counter) {
  const size_t last = counter.find_last_not_of("0123456789");
  const size_t kept = last == std::string_view::npos ? 0 : last + 1;
  if (kept == counter.size() || kept == 0) return std::string(counter);
  return std::string(counter.substr(0, kept)) + '*';
}

bool IsWhole(const Quantity& amount) {
  return Quantity::FromInt(amount.Value()) == amount;
}

bool IsWholeInMilli(const Quantity& amount) {
  return Quantity::FromMilli(amount.MilliValue()) == amount;
}

/// The device's label: the slice's label attribute, or else its capacity, or else the counters it
/// consumes.
std::string LabelOf(const PopulationDevice& device, const std::map<std::string, Quantity>& sums) {
  const auto& attribute = device.slice->spec.partition_type_attribute;
  if (attribute.has_value()) {
    const std::string* const type =
        controllers::AttributeText(*device.device, device.driver(), *attribute);
    if (type != nullptr) return *type;
  }
  std::vector<std::string> parts;
  for (const auto& [name, capacity] : device.device->capacity)
    parts.push_back(fmt::format("{}={}", name, capacity.value.ToString()));
  if (parts.empty()) {
    for (const auto& [kind, sum] : sums)
      parts.push_back(fmt::format("{}={}", kind, sum.ToString()));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// A union-find forest of the counter sets that devices share.
class Unions {
 public:
  explicit Unions(size_t size) : parents_(size) {
    for (size_t set = 0; set < size; ++set) parents_[set] = set;
  }
  size_t Find(size_t set) {
    while (parents_[set] != set) set = parents_[set] = parents_[parents_[set]];
    return set;
  }
  void Join(size_t a, size_t b) { parents_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parents_;
};

}  // namespace

// ------------------------------------------------------------------------------------ of one pool

PoolCounters::PoolCounters(const PopulationPool& pool, const allocator::Features& features)
    : knows_groups_(features.compatibility_groups) {
  for (const auto& slice : pool.usage->slices) {
    for (const v1::CounterSet& set : slice->spec.shared_counters) AddSet(set);
  }
  if (counters_.empty()) return;
  left_ = controllers::CountersLeft(*pool.usage);
  for (const auto& [name, set] : sets_) {
    for (const auto& [counter, place] : by_name_[set])
      counters_[place].left = left_.find(name)->second.find(counter)->second;
  }
  for (const Counter& counter : counters_) {
    LookAt(counter.total);
    LookAt(counter.left);
    is_overdrawn_ = is_overdrawn_ || counter.left.Sign() < 0;
  }
  groups_.resize(sets_.size());
  for (const auto& slice : pool.usage->slices) {
    for (const v1::Device& device : slice->spec.devices) {
      for (const v1::DeviceCounterConsumption& draw : device.consumes_counters)
        AddDraw(draw, pool.usage->used.contains(device.name));
    }
  }
}

void PoolCounters::AddSet(const v1::CounterSet& set) {
  const auto [place, is_new] = sets_.emplace(set.name, by_name_.size());
  if (!is_new) return;  // the pool contradicts itself
  auto& names = by_name_.emplace_back();
  for (const auto& [name, counter] : set.counters) {
    names.emplace(name, counters_.size());
    counters_.push_back({.set = place->second,
                         .name = name,
                         .kind = KindOf(name),
                         .total = counter.value,
                         .left = counter.value});
  }
}

void PoolCounters::AddDraw(const v1::DeviceCounterConsumption& draw, bool is_used) {
  for (const auto& [name, counter] : draw.counters) LookAt(counter.value);
  if (!knows_groups_) return;
  for (const std::string& group : draw.compatibility_groups)
    group_bits_.emplace(group, group_bits_.size() % kGroupBits);
  is_rounded_ = is_rounded_ || group_bits_.size() > kGroupBits;
  const auto set = sets_.find(draw.counter_set);
  if (is_used && set != sets_.end())
    groups_[set->second].Join(!draw.compatibility_groups.empty(), GroupsOf(draw));
}

void PoolCounters::LookAt(const Quantity& amount) {
  in_milli_ = in_milli_ || !IsWhole(amount);
  is_rounded_ = is_rounded_ || !IsWholeInMilli(amount);
}

uint64_t PoolCounters::GroupsOf(const v1::DeviceCounterConsumption& draw) const {
  uint64_t bits = 0;
  if (!knows_groups_) return bits;
  for (const std::string& group : draw.compatibility_groups)
    bits |= uint64_t{1} << group_bits_.at(group);
  return bits;
}

int64_t PoolCounters::Scaled(const Quantity& amount) const {
  return in_milli_ ? amount.MilliValue() : amount.Value();
}

bool PoolCounters::Has(const v1::Device& device) const {
  return std::ranges::all_of(device.consumes_counters, [&](const auto& draw) {
    const auto set = sets_.find(draw.counter_set);
    return set != sets_.end() && std::ranges::all_of(draw.counters, [&](const auto& counter) {
             return by_name_[set->second].contains(counter.first);
           });
  });
}

bool PoolCounters::HasRoomFor(const v1::Device& device) const {
  if (device.consumes_counters.empty()) return true;
  if (is_overdrawn_ || !controllers::FitsCounters(device, left_)) return false;
  return !knows_groups_ || std::ranges::all_of(device.consumes_counters, [&](const auto& draw) {
    const auto set = sets_.find(draw.counter_set);
    return set == sets_.end() ||
           groups_[set->second].Admits(!draw.compatibility_groups.empty(), GroupsOf(draw));
  });
}

// ------------------------------------------------------------------------------------- of one row

/// Devices with connected counter sets, such as those of one GPU.
class PartitionAccount::Unit {
 public:
  void Add(const Device& device, size_t shape) { devices_.emplace_back(device, shape); }
  const std::vector<std::pair<Device, size_t>>& devices() const { return devices_; }

 private:
  std::vector<std::pair<Device, size_t>> devices_;  // and their shapes
};

void PartitionAccount::Add(const PoolCounters& counters, std::span<const Device> devices) {
  if (counters.empty()) return;
  Unions unions(counters.sets_.size());
  const auto set_of = [&](const v1::DeviceCounterConsumption& draw) {
    const auto set = counters.sets_.find(draw.counter_set);
    return set == counters.sets_.end() ? counters.sets_.size() : set->second;
  };
  std::vector<Device> cut;  // those whose counters exist
  for (const Device& one : devices) {
    if (counters.Has(*one.device->device)) cut.push_back(one);
  }
  for (const Device& one : cut) {
    const auto& draws = one.device->device->consumes_counters;
    for (const auto& draw : draws) unions.Join(set_of(draws.front()), set_of(draw));
  }
  std::map<size_t, Unit> units;
  std::set<size_t> sets;
  for (const Device& one : cut) {
    const auto& draws = one.device->device->consumes_counters;
    units[unions.Find(set_of(draws.front()))].Add(one, ShapeOf(counters, *one.device));
    for (const auto& draw : draws) sets.insert(set_of(draw));
  }
  for (const auto& [set, unit] : units) AddUnit(counters, unit);
  if (!cut.empty()) AddCounters(counters, cut.front().device->driver(), sets);
}

/// The index of the device's shape in the row.
size_t PartitionAccount::ShapeOf(const PoolCounters& counters, const PopulationDevice& device) {
  std::map<std::string, Quantity> sums;
  std::vector<std::vector<std::string>> groups;
  for (const v1::DeviceCounterConsumption& draw : device.device->consumes_counters) {
    for (const auto& [name, counter] : draw.counters) sums[KindOf(name)] += counter.value;
    if (counters.knows_groups_)
      groups.emplace_back(draw.compatibility_groups.begin(), draw.compatibility_groups.end());
  }
  std::vector<std::pair<std::string, int64_t>> amounts;
  amounts.reserve(sums.size());
  for (const auto& [kind, sum] : sums) amounts.emplace_back(kind, sum.MilliValue());
  ShapeKey key{device.driver(), LabelOf(device, sums), std::move(amounts), std::move(groups)};
  const auto [place, is_new] = shape_places_.try_emplace(std::move(key), shapes_.size());
  if (is_new) {
    shapes_.push_back({.driver = device.driver(),
                       .label = std::get<1>(place->first),
                       .example = device.device->name});
    left_for_.emplace_back();
  }
  ++shapes_[place->second].devices;
  return place->second;
}

/// The unit as a carving problem, with only the counters of its sets and only its shapes.
class PartitionAccount::Numbers {
 public:
  Numbers(const PoolCounters& pool, const Unit& unit) : pool_(pool) {
    problem_.is_overdrawn = pool.is_overdrawn_;
    for (const auto& [one, shape] : unit.devices()) AddDevice(one, shape);
    problem_.shapes = shapes_.size();
  }

  const CarvingProblem& problem() const { return problem_; }
  /// What is left of each kind of counter, in thousandths; nothing for an overdrawn pool.
  const std::map<std::string, long double>& left() const { return left_; }
  /// Maps shape numbers of this problem to indexes in the row.
  const std::vector<size_t>& shapes() const { return shapes_; }

  /// Equal for problems that are equal.
  std::vector<int64_t> Key() const {
    std::vector<int64_t> key = {problem_.is_overdrawn ? 1 : 0};
    const auto add = [&](auto... numbers) { (key.push_back(static_cast<int64_t>(numbers)), ...); };
    add(problem_.shapes, problem_.counters.size(), problem_.sets.size());
    for (const CarvingCounter& counter : problem_.counters)
      add(counter.total, counter.left, counter.kind);
    for (const CarvingGroups& groups : problem_.sets) add(groups.any, groups.named, groups.common);
    for (const CarvingPart& part : problem_.parts) {
      add(part.shape, part.draws.size(), part.sets.size());
      for (const auto& draw : part.draws) add(draw.counter, draw.amount);
      for (const auto& set : part.sets) add(set.set, set.named, set.groups);
    }
    return key;
  }

 private:
  void AddDevice(const Device& one, size_t shape) {
    const auto [place, is_new] = shape_numbers_.try_emplace(shape, shapes_.size());
    if (is_new) shapes_.push_back(shape);
    CarvingPart part{.shape = place->second};
    for (const v1::DeviceCounterConsumption& draw : one.device->device->consumes_counters) {
      const size_t set = pool_.sets_.find(draw.counter_set)->second;
      part.sets.push_back({.set = NumberOfSet(set),
                           .named = pool_.knows_groups_ && !draw.compatibility_groups.empty(),
                           .groups = pool_.GroupsOf(draw)});
      for (const auto& [name, counter] : draw.counters) {
        part.draws.push_back({.counter = counter_numbers_.at(pool_.by_name_[set].at(name)),
                              .amount = pool_.Scaled(counter.value)});
      }
    }
    std::ranges::sort(part.draws);
    if (one.is_candidate) problem_.parts.push_back(std::move(part));
  }

  /// Also numbers the counters of a new set.
  size_t NumberOfSet(size_t set) {
    const auto [number, is_new] = set_numbers_.try_emplace(set, problem_.sets.size());
    if (!is_new) return number->second;
    problem_.sets.push_back(pool_.groups_[set]);
    for (const auto& [name, place] : pool_.by_name_[set]) {
      const PoolCounters::Counter& counter = pool_.counters_[place];
      counter_numbers_.emplace(place, problem_.counters.size());
      const auto kind = kinds_.try_emplace({number->second, counter.kind}, kinds_.size()).first;
      if (!pool_.is_overdrawn_)
        left_[counter.kind] += static_cast<long double>(counter.left.MilliValue());
      int64_t left = pool_.Scaled(counter.left);
      if (pool_.is_rounded_) --left;  // it was rounded up
      problem_.counters.push_back(
          {.total = pool_.Scaled(counter.total), .left = left, .kind = kind->second});
    }
    return number->second;
  }

  const PoolCounters& pool_;
  CarvingProblem problem_;
  std::vector<size_t> shapes_;
  std::map<size_t, size_t> shape_numbers_, set_numbers_, counter_numbers_;
  std::map<std::pair<size_t, std::string_view>, size_t> kinds_;
  std::map<std::string, long double> left_;
};

void PartitionAccount::AddUnit(const PoolCounters& counters, const Unit& unit) {
  const Numbers numbers(counters, unit);
  const auto [known, is_new] = memo_.try_emplace(numbers.Key());
  if (is_new) known->second = Carve(numbers.problem());
  const CarvingAnswer& answer = known->second;
  std::vector<size_t> parts(numbers.shapes().size());
  for (const CarvingPart& part : numbers.problem().parts) ++parts[part.shape];
  for (size_t i = 0; i < parts.size(); ++i) {
    PartitionShape& shape = shapes_[numbers.shapes()[i]];
    shape.fit.least += answer.fits[i].least;
    shape.fit.most += counters.is_rounded_ ? parts[i] : answer.fits[i].most;
    shape.together += answer.together[i];
    shape.size = std::max(shape.size, answer.sizes[i]);
    if (parts[i] == 0) continue;
    for (const auto& [kind, left] : numbers.left()) left_for_[numbers.shapes()[i]][kind] += left;
  }
}

/// Counts how many of each shape would fit into the sums of what is left.
void PartitionAccount::CountTogether() {
  for (const auto& [key, place] : shape_places_) {
    PartitionShape& shape = shapes_[place];
    auto fits = static_cast<long double>(shape.devices);
    for (const auto& [kind, amount] : std::get<2>(key)) {
      if (amount <= 0) continue;
      const auto left = left_for_[place].find(kind);
      const long double there = left == left_for_[place].end() ? 0 : left->second;
      fits = std::min(fits, std::floor(there / static_cast<long double>(amount)));
    }
    shape.if_together = static_cast<size_t>(fits);
  }
}

void PartitionAccount::AddCounters(const PoolCounters& counters,
                                   std::string_view driver,
                                   const std::set<size_t>& sets) {
  for (const auto& [set, number] : counters.sets_) {
    if (!sets.contains(number)) continue;
    for (const auto& [name, place] : counters.by_name_[number]) {
      const PoolCounters::Counter& counter = counters.counters_[place];
      const std::string_view own_set = by_ == CapacityBy::kPool ? set : std::string_view();
      Sum& sum = counters_[{driver, own_set, name}];
      sum.total += counter.total;
      sum.left += counter.left;
    }
  }
}

void PartitionAccount::Finish(CapacityRow& row) && {
  CountTogether();
  // Sorts shapes of equal size by name.
  std::ranges::sort(shapes_, {}, [](const PartitionShape& shape) {
    return std::tuple(-shape.size,
                      std::string_view(shape.driver),
                      std::string_view(shape.label),
                      std::string_view(shape.example));
  });
  row.shapes = std::move(shapes_);
  for (size_t i = 0; i < row.shapes.size() && !row.largest.has_value(); ++i) {
    if (row.shapes[i].fit.least > 0) row.largest = i;
  }
  const auto first = std::ranges::find_if(
      row.shapes, [](const PartitionShape& shape) { return shape.if_together > 0; });
  for (auto shape = first; shape != row.shapes.end() && shape->size == first->size; ++shape) {
    if (!row.fragmentation.has_value()) row.fragmentation = {.shape = shape->label};
    row.fragmentation->fit += shape->fit.least;
    row.fragmentation->if_together += shape->if_together;
  }
  for (auto& [key, counter] : counters_) {
    const auto& [driver, set, name] = key;
    row.counters.push_back({.driver = std::string(driver),
                            .set = std::string(set),
                            .counter = std::string(name),
                            .total = std::move(counter.total),
                            .left = std::move(counter.left)});
  }
}

}  // namespace dray::planning::inline capacity
