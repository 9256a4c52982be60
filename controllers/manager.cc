// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager.h"

namespace dray::controllers {

Manager::Manager(client::Client& client, World& world, const Log& log, const api::Scheme& scheme)
    : clock_(world.clock),
      claims_(client, world, loop_.wakeup(), log, {}),
      namespaces_(client, world, loop_.wakeup(), log, scheme) {}

std::optional<MonotonicTime> Manager::Step() {
  const std::optional<MonotonicTime> claims = claims_.Step();
  return client::Earlier(claims, namespaces_.Step());
}

}  // namespace dray::controllers
