// SPDX-License-Identifier: Apache-2.0
#include "scheduler/devices.h"

#include <utility>

namespace dray::scheduler {

void TakenDevices::SetClaim(const std::string& uid, const api::resource_v1::ResourceClaim* claim) {
  Devices now;
  if (claim != nullptr && claim->status.allocation) now = DevicesOf(*claim->status.allocation);
  const auto known = allocated_.find(uid);
  if (known == allocated_.end()) {
    if (now.empty()) return;
    Take(now);
    allocated_.emplace(uid, std::move(now));
    return;
  }
  if (known->second == now) return;
  Take(now);
  Give(known->second);
  if (now.empty()) {
    allocated_.erase(known);
  } else {
    known->second = std::move(now);
  }
}

bool TakenDevices::Reserve(const std::string& uid,
                           const api::resource_v1::AllocationResult& allocation) {
  const auto [entry, is_new] = in_flight_.try_emplace(uid, DevicesOf(allocation));
  if (is_new) Take(entry->second);
  return is_new;
}

void TakenDevices::Release(const std::string& uid) {
  const auto entry = in_flight_.find(uid);
  if (entry == in_flight_.end()) return;
  Give(entry->second);
  in_flight_.erase(entry);
}

TakenDevices::Devices TakenDevices::DevicesOf(
    const api::resource_v1::AllocationResult& allocation) {
  Devices devices;
  for (const auto& result : allocation.devices.results) {
    if (result.admin_access.value_or(false)) continue;  // looks on, takes nothing
    devices.push_back({.driver = result.driver, .pool = result.pool, .device = result.device});
  }
  return devices;
}

void TakenDevices::Take(const Devices& devices) {
  for (const allocator::DeviceId& device : devices) {
    if (++holders_[device] == 1) state_->devices.insert(device);
  }
}

void TakenDevices::Give(const Devices& devices) {
  for (const allocator::DeviceId& device : devices) {
    const auto holder = holders_.find(device);
    if (holder == holders_.end() || --holder->second > 0) continue;
    holders_.erase(holder);
    state_->devices.erase(device);
  }
}

}  // namespace dray::scheduler
