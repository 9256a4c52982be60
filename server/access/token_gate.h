// SPDX-License-Identifier: Apache-2.0
// What stands before the costly part of looking at a bearer token, the signature: tokens that were
// looked at are remembered, and who shows many that are nobody's has to wait.
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

/// Safe from any thread. Remembers no tokens, only hashes of them with chance that nobody outside
/// knows; whoever does not know a token cannot make another with its hash.
class TokenGate {
 public:
  /// Tokens that are remembered as nobody's, and as somebody's; with one more all are forgotten.
  static constexpr size_t kRememberedMax = 4096;
  /// Tokens of nobody's that one address may show at once, and each second; then only tokens that
  /// are known to be somebody's are looked at.
  static constexpr double kBurst = 100;
  static constexpr double kEachSecond = 20;
  /// Addresses whose tokens are counted; with one more those that have not shown any lately go.
  static constexpr size_t kAddressesMax = 4096;

  explicit TokenGate(uint64_t seed) : seed_(seed) {}

  enum class Verdict : uint8_t {
    kLook,     // it may be somebody's
    kNobodys,  // it is known to be nobody's
    kTooMany,  // the address has shown too many of these lately
  };
  /// O(size of the token).
  Verdict Ask(std::string_view token, const std::string& address, WallTime now);
  /// What came of a look at `token`: whether it is somebody's. Not to be called for a token that
  /// may become good later (it has expired, its account is gone).
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
