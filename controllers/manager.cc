// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager.h"

namespace dray::controllers {

Manager::Manager(client::Client& client,
                 World& world,
                 const Log& log,
                 const api::Scheme& scheme,
                 const Options& options)
    : clock_(world.clock),
      claims_(client, world, loop_.wakeup(), log, {}),
      namespaces_(client, world, loop_.wakeup(), log, scheme) {
  if (options.taint_eviction) {
    evictions_.emplace(client, world, loop_.wakeup(), log, options.taint_rules);
  }
}

std::optional<MonotonicTime> Manager::Step() {
  const std::optional<MonotonicTime> claims = claims_.Step();
  const std::optional<MonotonicTime> next = client::Earlier(claims, namespaces_.Step());
  return evictions_.has_value() ? client::Earlier(next, evictions_->Step()) : next;
}

}  // namespace dray::controllers
