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
  /// What is to be told of it, a line each, to who asks for the checks one by one. A check that has
  /// this passes always, and is only shown while there is something to tell. Any thread.
  std::function<std::vector<std::string>()> remarks = {};
};

/// Writes of the server itself that are refused. `resources` outlives it.
HealthCheck RefusedWrites(const verbs::Resources& resources);

/// "informer-sync": the server has read from the store what it needs to judge requests (rights,
/// policies, quotas). `resources` outlives it.
HealthCheck StateIsRead(const verbs::Resources& resources);

/// The parts of kube-apiserver 1.37 that start with it, by the names that probes know. The check of
/// a part that writes into a new store passes when that is written; "storage-readiness" is
/// `has_store`; those that need the state are as StateIsRead. Parts that Dray does not have, or
/// that have nothing to do before the first request, always pass. `resources` outlives them.
std::vector<HealthCheck> StartedParts(const verbs::Resources& resources,
                                      const std::function<bool()>& has_store);

struct HealthAnswer {
  int code = 200;
  std::string text;
  bool nosniff = true;  // upstream's answers for a single check lack the header
};

/// Answers `path` ("readyz", "livez/ping"); nothing when there is no such check. `verbose` lists
/// the checks; those in `excluded` count as passed.
std::optional<HealthAnswer> AnswerHealth(const std::vector<HealthCheck>& checks,
                                         std::string_view path,
                                         bool verbose,
                                         const std::vector<std::string_view>& excluded);

}  // namespace dray::server::http
