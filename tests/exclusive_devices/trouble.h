// SPDX-License-Identifier: Apache-2.0
// The common parts of all trials of exclusive devices: many seeds at a time, users and foreign
// schedulers that continue during faults, and connections that break.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/simulated_world.h"
#include "client/client.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "tests/exclusive_devices/users.h"

namespace dray::exclusive_devices {

/// How many things go wrong for one seed.
inline constexpr int kTroubles = 14;

/// The component that keeps devices exclusive while others do not receive updates.
enum class By : uint8_t {
  kServers,    // two schedulers, and foreign writers
  kScheduler,  // one scheduler; the servers accept all its writes
};

/// Calls `trial` with each of 1 to `seeds`, several at a time, because they mostly wait. Starts no
/// more after the test has failed.
void ForEachSeed(uint64_t seeds, const std::function<void(uint64_t seed)>& trial);

/// Users come and go, and a foreign scheduler at each of `strangers` takes devices at random, while
/// `trouble` runs. Then all devices are freed; returns when all are in use again.
void UseDuring(Users& users,
               const std::vector<client::Client*>& strangers,
               uint64_t seed,
               const std::function<void()>& trouble);

/// A moment: 2 to 26 ms.
void Wait(SeededRandom& random);

/// Disturbs the connections for a moment, in one of five ways, and restores them.
void Disturb(store::etcd::testing::TcpProxy& proxy, SeededRandom& random);

}  // namespace dray::exclusive_devices
