// SPDX-License-Identifier: Apache-2.0
#include "server/registry/pool_holders.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>

namespace dray::server::registry {
namespace {

using api::resource_v1::CounterSet;
using api::resource_v1::Device;
using api::resource_v1::ResourceSlice;

/// Why the slices of one generation may be incomplete. Each slice carries the number of all slices.
std::string GapIn(const std::vector<const ResourceSlice*>& newest) {
  if (newest.empty()) return "none of its slices is published";
  int64_t announced = 0;
  for (const ResourceSlice* slice : newest) {
    announced = std::max(announced, slice->spec.pool.resource_slice_count);
  }
  const bool all_agree = std::ranges::all_of(newest, [&](const ResourceSlice* slice) {
    return slice->spec.pool.resource_slice_count == announced;
  });
  if (all_agree && std::cmp_equal(newest.size(), announced)) return "";
  return fmt::format("{} of {} slices of its generation {} are published",
                     newest.size(),
                     announced,
                     newest.front()->spec.pool.generation);
}

}  // namespace

bool HasCounters(const ResourceSlice& slice) {
  return !slice.spec.shared_counters.empty() ||
         std::ranges::any_of(slice.spec.devices, [](const Device& device) {
           return !device.consumes_counters.empty();
         });
}

std::string CanonicalShare(const std::optional<std::string>& share_id) {
  std::string share = share_id.value_or("");
  std::ranges::transform(share, share.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return share;
}

const PoolDefinition& PoolHolders::Defined() const {
  if (definition.has_value()) return *definition;
  PoolDefinition& made = definition.emplace();
  made.has_counters = had_counters;
  int64_t generation = 0;
  for (const auto& [name, slice] : slices) {
    generation = std::max(generation, slice->spec.pool.generation);
    made.has_counters = made.has_counters || HasCounters(*slice);
  }
  std::vector<const ResourceSlice*> newest;
  std::string contradiction;
  for (const auto& [name, slice] : slices) {
    if (slice->spec.pool.generation != generation) continue;
    newest.push_back(slice.get());
    for (const Device& device : slice->spec.devices) {
      const auto [known, is_new] = made.devices.emplace(device.name, &device);
      if (is_new) continue;
      known->second = nullptr;
      contradiction = fmt::format("several of its devices are named {}", device.name);
    }
    for (const CounterSet& set : slice->spec.shared_counters) {
      if (made.counters.Add(set)) continue;
      contradiction = fmt::format("several of its counter sets are named {}", set.name);
    }
  }
  made.gap = GapIn(newest);
  if (made.gap.empty()) made.gap = std::move(contradiction);
  return made;
}

const Device* PoolHolders::Find(std::string_view device) const {
  const PoolDefinition& defined = Defined();
  const auto found = defined.devices.find(device);
  return found == defined.devices.end() ? nullptr : found->second;
}

}  // namespace dray::server::registry
