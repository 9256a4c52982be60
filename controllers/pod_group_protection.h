// SPDX-License-Identifier: Apache-2.0
// The controller that lets go of pod groups: a group that is being deleted keeps its finalizer
// until no pod that still runs, or will, names it (KEP-4671).
#pragma once

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

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class PodGroupProtection {
 public:
  PodGroupProtection(client::Client& client,
                     World& world,
                     client::SharedInformers& informers,
                     Log log);
  PodGroupProtection(const PodGroupProtection&) = delete;
  PodGroupProtection& operator=(const PodGroupProtection&) = delete;
  ~PodGroupProtection() = default;

  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void Enqueue(const std::string& key);
  void EnqueueAll();
  void OnPod(const api::Object* before, const api::Object* after);
  Result<> Sync(std::string_view key);

  client::Client& client_;
  KeyLoop keys_;
  client::Informer& groups_;
  client::Informer& pods_;
  size_t active_by_group_ = 0;  // index of pods_: those that are not finished, by their group
};

}  // namespace dray::controllers
