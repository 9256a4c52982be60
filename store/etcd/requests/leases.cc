// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/requests/leases.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/world.h"

namespace dray::store::etcd::requests {

std::chrono::nanoseconds Leases::SlackOf(WallTime expiry, WallTime now) {
  const std::chrono::nanoseconds life = std::max(expiry - now, std::chrono::nanoseconds(0));
  return std::min<std::chrono::nanoseconds>(kSlackMax, life / kSlackOfLife);
}

std::optional<int64_t> Leases::Take(WallTime expiry, WallTime now) {
  leases_.erase(leases_.begin(), leases_.lower_bound(now));
  // Leases have whole seconds, so a lease made for this very expiry may end up to two seconds
  // later.
  const WallTime latest = expiry + SlackOf(expiry, now) + std::chrono::seconds(2);
  for (auto at = leases_.lower_bound(expiry); at != leases_.end() && at->first <= latest; ++at) {
    if (at->second.records >= kRecordsMax) continue;
    ++at->second.records;
    return at->second.id;
  }
  return std::nullopt;
}

int64_t Leases::TtlSeconds(WallTime expiry, WallTime now) {
  const auto needed = expiry - now + SlackOf(expiry, now);
  return std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(needed).count());
}

void Leases::Add(int64_t id, int64_t ttl_seconds, WallTime asked) {
  leases_.emplace(asked + std::chrono::seconds(ttl_seconds), Lease{.id = id, .records = 1});
  if (leases_.size() > kLeasesMax) leases_.erase(leases_.begin());
}

void Leases::Forget(int64_t id) {
  std::erase_if(leases_, [id](const auto& each) { return each.second.id == id; });
}

}  // namespace dray::store::etcd::requests
