// SPDX-License-Identifier: Apache-2.0
#include "server/access/token_gate.h"

#include <algorithm>

#include "base/hash.h"

namespace dray::server::access {
namespace {

void Remember(std::unordered_set<uint64_t>& hashes, uint64_t hash) {
  if (hashes.size() >= TokenGate::kRememberedMax) hashes.clear();
  hashes.insert(hash);
}

}  // namespace

uint64_t TokenGate::HashOf(std::string_view token) const {
  return Hasher().Add(seed_).Add(token).Add(seed_).value();
}

TokenGate::Address& TokenGate::Refilled(const std::string& address, WallTime now) {
  if (addresses_.size() >= kAddressesMax && !addresses_.contains(address)) {
    // Drops addresses whose bucket is full again, because they are like new ones.
    const auto full_again = now - std::chrono::seconds(static_cast<int64_t>(kBurst / kEachSecond));
    std::erase_if(addresses_, [&](const auto& entry) { return entry.second.seen < full_again; });
    if (addresses_.size() >= kAddressesMax) addresses_.clear();
  }
  const auto [at, is_new] = addresses_.try_emplace(address, Address{.seen = now});
  Address& known = at->second;
  const double seconds = std::chrono::duration<double>(now - known.seen).count();
  known.left = std::min(kBurst, known.left + std::max(0.0, seconds) * kEachSecond);
  known.seen = now;
  return known;
}

TokenGate::Verdict TokenGate::Ask(std::string_view token,
                                  const std::string& address,
                                  WallTime now) {
  const uint64_t hash = HashOf(token);
  const MutexLock lock(mutex_);
  if (somebodys_.contains(hash)) return Verdict::kLook;
  if (nobodys_.contains(hash)) return Verdict::kNobodys;
  if (!addresses_.contains(address)) return Verdict::kLook;
  return Refilled(address, now).left >= 1 ? Verdict::kLook : Verdict::kTooMany;
}

void TokenGate::Note(std::string_view token,
                     const std::string& address,
                     WallTime now,
                     bool is_somebodys) {
  const uint64_t hash = HashOf(token);
  const MutexLock lock(mutex_);
  Remember(is_somebodys ? somebodys_ : nobodys_, hash);
  if (!is_somebodys) Refilled(address, now).left -= 1;
}

}  // namespace dray::server::access
