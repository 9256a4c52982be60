// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/pool_facts.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::allocator::snapshot {
namespace {

void SetBit(std::vector<uint64_t>& words, size_t bit) {
  words[bit / 64] |= uint64_t{1} << (bit % 64);
}

bool HasBit(const std::vector<uint64_t>& words, size_t bit) {
  return !words.empty() && (words[bit / 64] >> (bit % 64) & 1U) != 0;
}

/// Calls visit(bit, slice, device number) for each device of the pool.
template <class Visit>
void ForEachDevice(const PoolFacts& pool, Visit visit) {
  for (const SliceFacts& slice : pool.slices) {
    const auto& devices = slice.slice->spec.devices;
    for (size_t i = 0; i < devices.size(); ++i) visit(slice.first_word * 64 + i, slice, i);
  }
}

void Mark(const DeviceUse& held, size_t bit, size_t words, PoolUse& use) {
  if (held.whole) SetBit(use.whole, bit);
  if (held.shares == 0 && !held.capacity.has_value()) return;
  use.shared.resize(words);
  SetBit(use.shared, bit);
  if (held.capacity.has_value()) use.capacity.emplace_back(bit, *held.capacity);
}

void DrawCounters(const PoolFacts& pool, bool shares_draw, PoolUse& use) {
  use.available = pool.counters->limits;
  ForEachDevice(pool, [&](size_t bit, const SliceFacts& slice, size_t device) {
    if (!HasBit(use.whole, bit) && !(shares_draw && HasBit(use.shared, bit))) return;
    for (const SetDraw& set : pool.counters->Of(slice.content->id, device)) {
      for (const CounterDraw& draw : set.draws) use.available[draw.counter] -= draw.amount;
    }
  });
  use.overdrawn = std::ranges::any_of(use.available, [](int64_t left) { return left < 0; });
}

std::string SharesText(const PoolUse& use) {
  std::string text;
  for (const uint64_t word : use.shared) text += fmt::format("{:x},", word);
  for (const auto& [bit, amounts] : use.capacity) {
    text += fmt::format(";{}", bit);
    for (const auto& [name, amount] : amounts)
      text += fmt::format(" {}={}", name, amount.ToString());
  }
  return text;
}

}  // namespace

const SliceFacts* PoolFacts::Find(const api::resource_v1::ResourceSlice* slice) const {
  const auto at =
      std::ranges::find(slices, slice, [](const SliceFacts& facts) { return facts.slice.get(); });
  return at == slices.end() ? nullptr : &*at;
}

const ConsumedCapacity* PoolUse::CapacityOf(size_t bit) const {
  const auto at =
      std::ranges::lower_bound(capacity, bit, {}, [](const auto& e) { return e.first; });
  return at == capacity.end() || at->first != bit ? nullptr : &at->second;
}

void Resolve(const PoolFacts& pool, Contents& contents, bool shares_draw, PoolUse& use) {
  use.whole.assign(pool.words, 0);
  use.shared.clear();
  use.capacity.clear();
  use.available.clear();
  use.overdrawn = false;
  if (!use.by_device.empty()) {
    ForEachDevice(pool, [&](size_t bit, const SliceFacts& slice, size_t device) {
      const std::string& name = slice.slice->spec.devices[device].name;
      const auto at = std::ranges::lower_bound(
          use.by_device, name, {}, [](const auto& e) { return std::string_view(e.first); });
      if (at != use.by_device.end() && at->first == name) Mark(at->second, bit, pool.words, use);
    });
  }
  if (pool.counters != nullptr && pool.counters->usable) DrawCounters(pool, shares_draw, use);
  use.shares_number = use.shared.empty() ? 0 : contents.NumberOf(SharesText(use));
}

}  // namespace dray::allocator::snapshot
