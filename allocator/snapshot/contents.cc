// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/contents.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;

/// Beyond this, sums over a pool might leave 64 bits.
constexpr int64_t kAmountMax = int64_t{1} << 50U;

/// Compared beside the shapes.
bool SameFrame(const v1::ResourceSliceSpec& a, const v1::ResourceSliceSpec& b) {
  return a.driver == b.driver &&
         a.per_device_node_selection.value_or(false) ==
             b.per_device_node_selection.value_or(false) &&
         a.skip_node_operations == b.skip_node_operations && a.shared_counters == b.shared_counters;
}

/// Fills in a table; amounts are counted in thousandths if any of them is a fraction.
class TableBuilder {
 public:
  explicit TableBuilder(const std::vector<Frozen<SliceContent>>& slices) : slices_(slices) {}

  CounterTable Build(uint32_t id) {
    table_.id = id;
    table_.in_milli = HasFractions();
    for (const Frozen<SliceContent>& slice : slices_) {
      for (const v1::CounterSet& set : slice->example->spec.shared_counters) AddSet(set);
    }
    for (const Frozen<SliceContent>& slice : slices_) {
      std::vector<std::vector<SetDraw>>& draws = table_.draws[slice->id];
      if (!draws.empty()) continue;
      // What has counters has no devices: those it lists nonetheless do not count.
      const v1::ResourceSliceSpec& spec = slice->example->spec;
      if (!spec.shared_counters.empty()) {
        draws.resize(spec.devices.size());
        continue;
      }
      for (const v1::Device& device : spec.devices) draws.push_back(Draws(device));
    }
    return std::move(table_);
  }

 private:
  template <class Visit>
  void ForEachAmount(Visit visit) const {
    for (const Frozen<SliceContent>& slice : slices_) {
      for (const v1::CounterSet& set : slice->example->spec.shared_counters) {
        for (const auto& [name, counter] : set.counters) visit(counter.value);
      }
      for (const v1::Device& device : slice->example->spec.devices) {
        for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
          for (const auto& [name, counter] : consumption.counters) visit(counter.value);
        }
      }
    }
  }

  bool HasFractions() const {
    bool fractions = false;
    ForEachAmount([&](const Quantity& amount) {
      fractions = fractions || Quantity::FromInt(amount.Value()) != amount;
    });
    return fractions;
  }

  int64_t Amount(const Quantity& amount) {
    const int64_t units = table_.in_milli ? amount.MilliValue() : amount.Value();
    const bool exact = !table_.in_milli || Quantity::FromMilli(units) == amount;
    if (!exact || units < 0 || units > kAmountMax) table_.usable = false;
    return units;
  }

  void AddSet(const v1::CounterSet& set) {
    const auto index = static_cast<uint32_t>(table_.sets);
    if (!sets_.emplace(set.name, index).second) {
      table_.usable = false;
      return;
    }
    ++table_.sets;
    for (const auto& [name, counter] : set.counters) {
      counters_.emplace(std::pair(index, std::string_view(name)),
                        static_cast<uint32_t>(table_.limits.size()));
      table_.limits.push_back(Amount(counter.value));
      table_.names.push_back(name);
    }
  }

  std::vector<SetDraw> Draws(const v1::Device& device) {
    std::vector<SetDraw> draws;
    for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
      const auto set = sets_.find(consumption.counter_set);
      if (set == sets_.end()) {
        table_.usable = false;
        continue;
      }
      SetDraw draw{.set = set->second, .groups = Groups(consumption), .draws = {}};
      for (const auto& [name, counter] : consumption.counters) {
        const auto found = counters_.find({set->second, std::string_view(name)});
        if (found == counters_.end()) {
          table_.usable = false;
          continue;
        }
        draw.draws.push_back({.counter = found->second, .amount = Amount(counter.value)});
      }
      draws.push_back(std::move(draw));
    }
    return draws;
  }

  uint64_t Groups(const v1::DeviceCounterConsumption& consumption) {
    uint64_t bits = 0;
    for (const std::string& name : consumption.compatibility_groups) {
      const size_t bit = groups_.try_emplace(name, groups_.size()).first->second;
      if (bit >= 64) {
        table_.usable = false;
      } else {
        bits |= uint64_t{1} << bit;
      }
    }
    return bits;
  }

  const std::vector<Frozen<SliceContent>>& slices_;
  CounterTable table_;
  std::map<std::string_view, uint32_t> sets_;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> counters_;
  std::map<std::string_view, size_t> groups_;
};

bool HasCounters(const SliceContent& slice) {
  const v1::ResourceSliceSpec& spec = slice.example->spec;
  return !spec.shared_counters.empty() ||
         std::ranges::any_of(spec.devices,
                             [](const v1::Device& d) { return !d.consumes_counters.empty(); });
}

}  // namespace

Frozen<SliceContent> Contents::Of(const Frozen<v1::ResourceSlice>& slice, Shapes& shapes) {
  std::vector<ShapeId> ids = shapes.Intern(slice);
  Hasher hash;
  for (const ShapeId id : ids) hash.Add(id);
  hash.Add(slice->spec.shared_counters.size());
  const MutexLock lock(mutex_);
  const auto [first, last] = contents_.equal_range(hash.value());
  for (auto at = first; at != last; ++at) {
    const SliceContent& known = *at->second;
    if (known.shapes == ids && SameFrame(known.example->spec, slice->spec)) return at->second;
  }
  auto content = std::make_shared<const SliceContent>(SliceContent{
      .id = static_cast<uint32_t>(contents_.size()), .shapes = std::move(ids), .example = slice});
  contents_.emplace(hash.value(), content);
  return content;
}

Frozen<CounterTable> Contents::CountersOf(const std::vector<Frozen<SliceContent>>& slices) {
  if (std::ranges::none_of(slices, [](const auto& slice) { return HasCounters(*slice); }))
    return nullptr;
  std::vector<uint32_t> key;
  key.reserve(slices.size());
  for (const Frozen<SliceContent>& slice : slices) key.push_back(slice->id);
  const MutexLock lock(mutex_);
  Frozen<CounterTable>& table = tables_[key];
  if (table == nullptr) {
    table = std::make_shared<const CounterTable>(
        TableBuilder(slices).Build(static_cast<uint32_t>(tables_.size())));
  }
  return table;
}

uint64_t Contents::NumberOf(const std::string& text) {
  const MutexLock lock(mutex_);
  // A number is never given twice: texts that were forgotten get new ones, and equal nodes may
  // count as different for a while.
  if (numbers_.size() >= kNumbersMax) numbers_.clear();
  const auto [known, is_new] = numbers_.try_emplace(text, next_number_);
  if (is_new) ++next_number_;
  return known->second;
}

size_t Contents::size() const {
  const MutexLock lock(mutex_);
  return contents_.size();
}

}  // namespace dray::allocator::snapshot
