// SPDX-License-Identifier: Apache-2.0
// The controller that keeps pods away from nodes in trouble: what a node's conditions say stands as
// taints in its spec, as Kubernetes' node life-cycle controller writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/core_v1/node.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// The taints `node` should have: those that this controller does not look after as they are, then
/// one with effect NoSchedule for each trouble. A node without the condition Ready counts as ready:
/// no agent maintains its conditions (upstream would call it unreachable after a while).
api::List<api::core_v1::Taint> NeededTaints(const api::core_v1::Node& node);

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class NodeTaints {
 public:
  NodeTaints(client::Client& client, World& world, client::SharedInformers& informers, Log log);
  NodeTaints(const NodeTaints&) = delete;
  NodeTaints& operator=(const NodeTaints&) = delete;
  ~NodeTaints() = default;

  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void Enqueue(const std::string& key);
  Result<> Sync(std::string_view key);

  client::Client& client_;
  KeyLoop keys_;
  client::Informer& nodes_;
};

}  // namespace dray::controllers
