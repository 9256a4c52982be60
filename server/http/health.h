// SPDX-License-Identifier: Apache-2.0
// /healthz, /livez and /readyz: named checks in the text form that probes and people read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/verbs/resources.h"

namespace dray::server::http {

/// One named check. `passes` is called from any thread and must be quick.
struct HealthCheck {
  std::string name;
  std::function<bool()> passes;
  bool readiness_only = false;  // not part of /healthz and /livez
  bool liveness_only = false;   // not part of /readyz
  /// Lines that are shown when a client asks for the checks one by one. A check with this function
  /// always passes, and is shown only while there are lines. Called from any thread.
  std::function<std::vector<std::string>()> remarks = {};
};

/// The check that shows refused writes of the server itself. `resources` outlives it.
HealthCheck RefusedWrites(const verbs::Resources& resources);

/// "informer-sync": the server has read from the store what it needs to decide about requests
/// (rights, policies, quotas). `resources` outlives it.
HealthCheck StateIsRead(const verbs::Resources& resources);

/// A check for each part of kube-apiserver 1.37 that starts with it, under the names that probes
/// use. The check of a part that writes into a new store passes after that write;
/// "storage-readiness" is `has_store`; parts that need the state are as StateIsRead. Parts that
/// Dray does not have, or that start with the first request, always pass. `resources` outlives
/// them.
std::vector<HealthCheck> StartedParts(const verbs::Resources& resources,
                                      const std::function<bool()>& has_store);

struct HealthAnswer {
  int code = 200;
  std::string text;
  bool nosniff = true;  // false for a single check, as upstream
};

/// Answers `path` ("readyz", "livez/ping"); nothing when there is no such check. `verbose` lists
/// the checks; checks in `excluded` count as passed.
std::optional<HealthAnswer> AnswerHealth(const std::vector<HealthCheck>& checks,
                                         std::string_view path,
                                         bool verbose,
                                         const std::vector<std::string_view>& excluded);

}  // namespace dray::server::http
