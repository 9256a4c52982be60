// SPDX-License-Identifier: Apache-2.0
// The controller of cluster roles whose rules are those of others: `admin`, `edit` and `view` get
// theirs from every role that is labelled for them (aggregationRule of rbac.authorization.k8s.io).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/rbac_v1.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class RoleAggregation {
 public:
  RoleAggregation(client::Client& client,
                  World& world,
                  client::SharedInformers& informers,
                  Log log);
  RoleAggregation(const RoleAggregation&) = delete;
  RoleAggregation& operator=(const RoleAggregation&) = delete;
  ~RoleAggregation() = default;

  /// Before the first Step: what the queue does is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry) { keys_.CountIn(registry, "ClusterRoleAggregator"); }
  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void EnqueueAll();
  /// Rules of the roles that `role` selects, in the order of their names, each once.
  api::List<api::rbac_v1::PolicyRule> RulesFor(const api::rbac_v1::ClusterRole& role) const;
  Result<> Sync(std::string_view key);

  client::Client& client_;
  KeyLoop keys_;
  bool has_changed_ = false;
  client::Informer& roles_;
};

}  // namespace dray::controllers
