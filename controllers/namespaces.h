// SPDX-License-Identifier: Apache-2.0
// The namespace controller: empties namespaces that are being deleted, then lets them go.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "controllers/key_loop.h"
#include "controllers/namespace_conditions.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class NamespaceController {
 public:
  NamespaceController(client::Client& client,
                      World& world,
                      client::SharedInformers& informers,
                      Log log,
                      const api::LiveScheme& scheme);
  NamespaceController(const NamespaceController&) = delete;
  NamespaceController& operator=(const NamespaceController&) = delete;
  ~NamespaceController() = default;

  /// Before the first Step: what the queue does is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry) { keys_.CountIn(registry, "namespace"); }
  /// Handles what has arrived; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  Result<> Sync(const std::string& name);
  /// Deletes what is in the namespace; returns what there was.
  Result<NamespaceLeftovers> Empty(const std::string& name);
  void Delete(const api::Object& object, NamespaceLeftovers& leftovers);
  Result<> ReportLeftovers(const api::Object& namespace_object,
                           const NamespaceLeftovers& leftovers);

  client::Client& client_;
  World& world_;
  const api::LiveScheme& scheme_;
  // No event says that the last object has gone, so keys come back.
  KeyLoop keys_;
  client::Informer& namespaces_;
};

}  // namespace dray::controllers
