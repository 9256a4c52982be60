// SPDX-License-Identifier: Apache-2.0
// For tests: what TLS needs in a simulation: keys, randomness from a seed, and a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/simulated_world.h"
#include "base/world.h"
#include "net/tls/context.h"

namespace dray::net::testing {

/// TLS contexts of a server and of clients that offer one version of HTTP each; one authority.
struct SimulatedKeys {
  std::shared_ptr<tls::ServerContext> server;
  std::shared_ptr<const tls::ClientContext> client, http2_client;
};

/// The keys, which are made once in a process. From now on OpenSSL's random numbers come from
/// `seed`, so that a run can be repeated byte by byte. For programs of one thread.
const SimulatedKeys& SeedKeys(uint64_t seed);

/// When every simulation takes place.
inline constexpr WallTime kSimulatedDate{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

/// The date stands still, as certificates see it; timers run on the simulated clock.
class MixedClock final : public Clock {
 public:
  explicit MixedClock(const SimulatedClock& simulated) : simulated_(simulated) {}
  WallTime Now() const override { return kSimulatedDate; }
  MonotonicTime Monotonic() const override { return simulated_.Monotonic(); }

 private:
  const SimulatedClock& simulated_;
};

}  // namespace dray::net::testing
