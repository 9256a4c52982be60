// SPDX-License-Identifier: Apache-2.0
// The namespace controller: empties namespaces that are being deleted, then lets them go.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/log.h"
#include "base/result.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/work_queue.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class NamespaceController {
 public:
  NamespaceController(
      client::Client& client, World& world, Wakeup& wakeup, Log log, const api::Scheme& scheme);
  NamespaceController(const NamespaceController&) = delete;
  NamespaceController& operator=(const NamespaceController&) = delete;
  ~NamespaceController() = default;

  /// Handles what has arrived; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  Result<> Sync(const std::string& name);
  /// Deletes what is in the namespace; returns how many objects there are.
  Result<size_t> Empty(const std::string& name);

  client::Client& client_;
  World& world_;
  Log log_;
  const api::Scheme& scheme_;
  client::WorkQueue queue_;
  client::Informer namespaces_;
};

}  // namespace dray::controllers
