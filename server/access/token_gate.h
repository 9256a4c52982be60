// SPDX-License-Identifier: Apache-2.0
// Guards the costly part of checking a bearer token, its signature: caches the results of checks,
// and limits the rate of clients that send many invalid tokens.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/mutex.h"
#include "base/world.h"

namespace dray::server::access {

/// Safe from any thread. Caches only hashes of tokens, with a random key that no client knows, so a
/// client cannot find another token with the same hash.
class TokenGate {
 public:
  /// Limits of invalid tokens, and of valid tokens, in the cache; with one more, the cache is
  /// emptied.
  static constexpr size_t kRememberedMax = 4096;
  /// Invalid tokens that one address may send at once, and per second; beyond that only tokens
  /// known to be valid are checked.
  static constexpr double kBurst = 100;
  static constexpr double kEachSecond = 20;
  /// Limit of addresses whose tokens are counted. With one more, addresses without recent tokens
  /// are dropped.
  static constexpr size_t kAddressesMax = 4096;

  explicit TokenGate(uint64_t seed) : seed_(seed) {}

  enum class Verdict : uint8_t {
    kLook,     // it may be valid
    kNobodys,  // it is known to be invalid
    kTooMany,  // the address has sent too many of these lately
  };
  /// O(size of the token).
  Verdict Ask(std::string_view token, const std::string& address, WallTime now);
  /// Records the result of checking `token`: whether it is valid. Do not call it for a token that
  /// may become valid later (it has expired, its account is gone).
  void Note(std::string_view token, const std::string& address, WallTime now, bool is_somebodys);

 private:
  struct Address {
    double left = kBurst;
    WallTime seen;
  };
  uint64_t HashOf(std::string_view token) const;
  Address& Refilled(const std::string& address, WallTime now) DRAY_REQUIRES(mutex_);

  const uint64_t seed_;
  Mutex mutex_;
  std::unordered_set<uint64_t> nobodys_ DRAY_GUARDED_BY(mutex_);
  std::unordered_set<uint64_t> somebodys_ DRAY_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Address> addresses_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::access
