// SPDX-License-Identifier: Apache-2.0
// What a server does on its own, now and then: remove what has expired.
#pragma once

#include <chrono>

#include "base/world.h"
#include "net/reactor.h"
#include "store/store.h"

namespace dray::control_plane {

/// Removes expired records (Events, one hour after their last write) about every kPeriod, at most
/// kBatchMax a time, on a reactor's thread. Made and destroyed while the reactor does not run it:
/// before the server starts requests, and after it has shut down.
class Housekeeping {
 public:
  static constexpr std::chrono::seconds kPeriod{5};
  static constexpr size_t kBatchMax = 1000;

  Housekeeping(store::Store& store, const Clock& clock, net::Reactor& reactor);
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;
  ~Housekeeping() = default;

 private:
  void Schedule();

  store::Store& store_;
  const Clock& clock_;
  net::Reactor& reactor_;
  net::Timer timer_;
};

}  // namespace dray::control_plane
