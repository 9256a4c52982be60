// SPDX-License-Identifier: Apache-2.0
// Shared by all measurements of stores: time, random numbers, keys and values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/world.h"
#include "store/record.h"
#include "store/store.h"

namespace dray::bench {

/// The number of live keys in measurements that fill a store, and the size of their values.
inline constexpr uint64_t kKeys = 100'000;
inline constexpr size_t kValueBytes = 1'024;

inline MonotonicTime Now() {
  return RealWorld().clock.Monotonic();
}

inline double MillisecondsBetween(MonotonicTime begin, MonotonicTime end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

inline double SecondsSince(MonotonicTime begin) {
  return std::chrono::duration<double>(Now() - begin).count();
}

inline double MillisecondsSince(MonotonicTime begin) {
  return SecondsSince(begin) * 1'000;
}

/// A key in a server's format: "/registry/resourceclaims/namespace-7/claim-0000123".
inline std::string KeyOf(uint64_t number) {
  return fmt::format("/registry/resourceclaims/namespace-{}/claim-{:07}", number % 50, number);
}

/// A transaction that puts `value` under KeyOf(key).
inline store::Txn PutOf(uint64_t key, const std::string& value) {
  store::Txn txn;
  txn.operations.emplace_back(store::Put{.key = KeyOf(key), .value = store::MakeBytes(value)});
  return txn;
}

/// The text for a bar, with a mark if it was missed.
inline std::string Against(bool is_met, std::string_view bar) {
  return fmt::format("(bar: {}{})", bar, is_met ? "" : ": MISSED");
}

}  // namespace dray::bench
