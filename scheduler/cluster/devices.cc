// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/devices.h"

#include <algorithm>
#include <utility>

#include "dray/claims.h"

namespace dray::scheduler::inline cluster {
void TakenDevices::SetClaim(const std::string& uid, const api::resource_v1::ResourceClaim* claim) {
  Devices now;
  if (claim != nullptr) now = allocator::PartsOf(*claim, features_);
  const auto known = allocated_.find(uid);
  if (known == allocated_.end()) {
    if (now.empty()) return;
    Take(now);
    allocated_.emplace(uid, std::move(now));
    return;
  }
  if (known->second == now) return;
  Take(now);
  Free(known->second);
  if (now.empty()) {
    allocated_.erase(known);
  } else {
    known->second = std::move(now);
  }
}

bool TakenDevices::Reserve(const std::string& uid,
                           const api::resource_v1::AllocationResult& allocation) {
  const auto [entry, is_new] = in_flight_.try_emplace(uid);
  if (!is_new) return false;
  entry->second.devices = allocator::PartsOf(allocation, features_);
  Take(entry->second.devices);
  return true;
}

void TakenDevices::Share(const std::string& uid) {
  const auto entry = in_flight_.find(uid);
  if (entry != in_flight_.end()) ++entry->second.holders;
}

void TakenDevices::Unreserve(const std::string& uid) {
  const auto entry = in_flight_.find(uid);
  if (entry == in_flight_.end() || --entry->second.holders > 0) return;
  Free(entry->second.devices);
  in_flight_.erase(entry);
}

void TakenDevices::Take(const Devices& devices) {
  for (const Device& device : devices) {
    if (++holders_[device.id] == 1) AddToState(device);
  }
}

void TakenDevices::Free(const Devices& devices) {
  for (const Device& device : devices) {
    const auto holder = holders_.find(device.id);
    if (holder == holders_.end() || --holder->second > 0) continue;
    holders_.erase(holder);
    RemoveFromState(device);
  }
}

bool TakenDevices::BringUpToDate(allocator::Snapshot& snapshot) {
  if (changed_.empty()) return false;
  std::vector<allocator::DeviceUseChange> changes;
  changes.reserve(changed_.size());
  for (const allocator::DeviceId& id : changed_)
    changes.push_back({.device = id, .use = allocator::UseOf(state_, id.view())});
  snapshot = snapshot.With(changes);
  changed_.clear();
  return true;
}

void TakenDevices::AddToState(const Device& device) {
  changed_.insert(device.id.device);
  if (device.id.share.empty()) {
    state_.devices.insert(device.id.device);
    return;
  }
  state_.shares.insert(device.id);
  if (device.consumed.empty()) return;
  allocator::ConsumedCapacity& total = state_.capacity[device.id.device];
  for (const auto& [name, amount] : device.consumed) total[name] += amount;
}

void TakenDevices::RemoveFromState(const Device& device) {
  changed_.insert(device.id.device);
  if (device.id.share.empty()) {
    state_.devices.erase(device.id.device);
    return;
  }
  state_.shares.erase(device.id);
  const auto total = state_.capacity.find(device.id.device);
  if (total == state_.capacity.end()) return;
  for (const auto& [name, amount] : device.consumed) total->second[name] -= amount;
  const bool is_unused =
      std::ranges::all_of(total->second, [](const auto& entry) { return entry.second.IsZero(); });
  if (is_unused) state_.capacity.erase(total);
}

}  // namespace dray::scheduler::inline cluster
