// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager.h"

namespace dray::controllers {

Manager::Manager(client::Client& client,
                 World& world,
                 const Log& log,
                 const api::LiveScheme& scheme,
                 const Options& options)
    : clock_(world.clock),
      informers_(client, world.clock, loop_.wakeup(), log),
      claims_(client,
              world,
              informers_,
              log,
              {.group_claims = options.group_claims, .classic = options.classic}),
      namespaces_(client, world, informers_, log, scheme),
      garbage_(client, world, informers_, log, scheme),
      quotas_(client,
              world,
              informers_,
              log,
              {.scheme = scheme, .extended = options.extended_resources}),
      node_taints_(client, world, informers_, log),
      pod_garbage_(client, world, informers_, log),
      roles_(client, world, informers_, log) {
  if (options.taint_eviction) {
    evictions_.emplace(client, world, informers_, log, options.taint_rules.has_value());
  }
  if (options.pool_status) {
    pool_status_.emplace(client, world, informers_, log, options.taint_rules);
  }
  if (options.pod_groups) pod_groups_.emplace(client, world, informers_, log);
  if (options.check_policy_types) {
    policy_types_.emplace(client, world, informers_, log, options.check_policy_types);
  }
  if (options.metrics != nullptr) CountIn(*options.metrics);
  listening_ = scheme.Listen([this] { loop_.wakeup().Wake(); });
}

void Manager::CountIn(metrics::Registry& registry) {
  claims_.CountIn(registry);
  namespaces_.CountIn(registry);
  garbage_.CountIn(registry);
  quotas_.CountIn(registry);
  pod_garbage_.CountIn(registry);
  roles_.CountIn(registry);
  if (evictions_.has_value()) evictions_->CountIn(registry);
  if (policy_types_.has_value()) policy_types_->CountIn(registry);
}

std::optional<MonotonicTime> Manager::Step() {
  std::optional<MonotonicTime> next = claims_.Step();
  next = client::Earlier(next, namespaces_.Step());
  next = client::Earlier(next, garbage_.Step());
  next = client::Earlier(next, quotas_.Step());
  next = client::Earlier(next, node_taints_.Step());
  next = client::Earlier(next, pod_garbage_.Step());
  next = client::Earlier(next, roles_.Step());
  if (evictions_.has_value()) next = client::Earlier(next, evictions_->Step());
  if (pool_status_.has_value()) next = client::Earlier(next, pool_status_->Step());
  if (pod_groups_.has_value()) next = client::Earlier(next, pod_groups_->Step());
  if (policy_types_.has_value()) next = client::Earlier(next, policy_types_->Step());
  return next;
}

}  // namespace dray::controllers
