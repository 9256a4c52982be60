// SPDX-License-Identifier: Apache-2.0
// Deletes pods of nodes that are gone, because no kubelet can end them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"
#include "metrics/registry.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class PodGarbage {
 public:
  /// A node must be missing for so long, as upstream has it: its agent may make it again.
  static constexpr std::chrono::seconds kQuarantine{40};

  PodGarbage(client::Client& client, World& world, client::SharedInformers& informers, Log log);
  PodGarbage(const PodGarbage&) = delete;
  PodGarbage& operator=(const PodGarbage&) = delete;
  ~PodGarbage() = default;

  /// Before the first Step: what is done is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry);
  /// Handles what has arrived and some nodes; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void OnPod(const api::Object* after);
  void OnNode(const api::Object* before, const api::Object* after);
  void Quarantine(const std::string& node);
  Result<> Sync(const std::string& node);
  Result<> Remove(const api::Object& pod);
  void Count(const api::Object& pod, bool is_removed);

  client::Client& client_;
  World& world_;
  Log log_;
  metrics::Registry* metrics_ = nullptr;
  KeyLoop keys_;  // names of nodes
  client::Informer& nodes_;
  client::Informer& pods_;
  size_t pods_by_node_ = 0;  // index of pods_
};

}  // namespace dray::controllers
