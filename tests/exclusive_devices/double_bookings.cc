// SPDX-License-Identifier: Apache-2.0
#include "tests/exclusive_devices/double_bookings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/kind.h"
#include "api/object.h"
#include "base/try.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;

constexpr size_t kBatch = 1000;

Result<Seen> SeenIn(const store::Event& event) {
  const auto view = server::storage::View::OfStorage(api::Reflected<ResourceClaim>::kKind);
  DRAY_TRY(const auto item, server::storage::ItemOf(view, *event.record));
  Seen seen{.revision = event.revision(), .claim = std::string(event.record->key())};
  if (event.type == store::Event::Type::kDelete || !item.has_value()) return seen;
  seen.devices = DevicesOf(item->object.As<ResourceClaim>());
  return seen;
}

}  // namespace

std::vector<std::string> DevicesOf(const ResourceClaim& claim) {
  std::vector<std::string> devices;
  if (!claim.status.allocation) return devices;
  for (const auto& result : claim.status.allocation->devices.results) {
    if (result.admin_access.value_or(false)) continue;
    devices.push_back(fmt::format("{}/{}/{}", result.driver, result.pool, result.device));
  }
  return devices;
}

Result<std::vector<Seen>> SeenAfter(const store::Store& store, Revision after) {
  const std::string prefix = server::storage::ResourcePrefix(api::Reflected<ResourceClaim>::kKind);
  const Revision newest = store.Read()->revision();
  std::vector<Seen> history;
  while (after < newest) {
    DRAY_TRY(const store::Batch batch, store.EventsAfter(after, prefix, kBatch));
    for (const auto& event : batch.events) {
      DRAY_TRY(Seen seen, SeenIn(*event));
      history.push_back(std::move(seen));
    }
    after = batch.through;
  }
  return history;
}

std::vector<std::string> DoubleBookings(std::span<const Seen> history) {
  std::vector<std::string> findings;
  std::map<std::string, std::vector<std::string>> devices_of;
  std::map<std::string, std::string> holder_of;
  const auto release = [&](const std::string& claim) {
    for (const std::string& device : std::exchange(devices_of[claim], {})) {
      const auto holder = holder_of.find(device);
      if (holder != holder_of.end() && holder->second == claim) holder_of.erase(holder);
    }
  };
  for (size_t begin = 0; begin < history.size();) {
    size_t end = begin;
    while (end < history.size() && history[end].revision == history[begin].revision) ++end;
    for (size_t i = begin; i < end; ++i) release(history[i].claim);
    for (size_t i = begin; i < end; ++i) {
      const Seen& seen = history[i];
      for (const std::string& device : seen.devices) {
        const auto [holder, is_free] = holder_of.try_emplace(device, seen.claim);
        if (!is_free && holder->second != seen.claim) {
          findings.push_back(fmt::format("revision {}: {} of {} is {}'s",
                                         seen.revision.value(),
                                         device,
                                         seen.claim,
                                         holder->second));
        }
      }
      devices_of[seen.claim] = seen.devices;
    }
    begin = end;
  }
  return findings;
}

}  // namespace dray::exclusive_devices
