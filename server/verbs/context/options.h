// SPDX-License-Identifier: Apache-2.0
// Options of the verbs, set by the program that constructs them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "api/release.h"
#include "base/result.h"
#include "server/registry/rule_set.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/context/request.h"

namespace dray {
class WorkerPool;  // base/worker_pool.h
}
namespace dray::metrics {
class Registry;  // metrics/registry.h
}
namespace dray::server::access {
class TokenIssuer;  // server/access/service_account_token.h
}

namespace dray::server::verbs::inline context {

/// A request that reads more records, or more bytes of them, than this counts as long: some five
/// milliseconds of work when objects have to be decoded.
inline constexpr size_t kShortRecords = 64;
inline constexpr size_t kShortBytes = size_t{64} << 10;

struct Options {
  /// Names that the server tries before a create with generateName fails.
  int generate_name_tries = 8;
  registry::RuleSet rules = registry::RuleSet();
  /// False as upstream: a status may allocate a device that another claim has.
  bool exclusive_devices = true;
  /// Admission plugins that are on. TaintNodesByCondition: a new node has a taint until a node
  /// life-cycle controller finds it ready; Dray's own controllers do not remove that taint.
  admission::PluginSet plugins = admission::PluginSet::Usual();
  /// While plugin ServiceAccount is on, each namespace gets the objects that tokens of its pods
  /// need. False: a controller elsewhere makes them.
  bool makes_accounts = true;
  /// The release whose API shapes clients read and write; kAny: the shapes of all releases.
  api::Release release = api::Release::kAny;
  /// Threads for long requests; outlives the verbs. Null: such requests stay on the calling thread.
  WorkerPool* workers = nullptr;
  /// Counts calls of webhooks; outlives the verbs. Null: calls are not counted.
  metrics::Registry* metrics = nullptr;
  /// The lifetime of an Event after its last write.
  std::chrono::nanoseconds event_life = std::chrono::hours(1);
  /// Warn writers of objects that no component of this server acts on. Set when this server is the
  /// whole cluster.
  bool warns_of_idle_kinds = false;
  /// The user of a bearer token, for TokenReview; nothing when the token is unknown. Called from
  /// any thread. Null: all tokens are unknown.
  std::function<std::optional<User>(std::string_view token)> user_of_token = {};
  /// Authorize requests by RBAC; else every authenticated user may do everything.
  bool rbac = false;
  /// Signs and verifies tokens of service accounts. Null: there are none.
  std::shared_ptr<access::TokenIssuer> tokens = nullptr;
  /// The longest lifetime of a token, in seconds; 0: no limit below the requested one.
  int64_t token_seconds_max = 0;
  /// Between the two changes of a DELETE that marks an object and then removes it: calls `resume`
  /// once, at once or later, on any thread. Controllers that read caches see the marked object only
  /// if it stays for a while. Null, and in a collection: the changes follow each other at once.
  std::function<void(std::function<void(Result<>)> resume)> removal_pause = {};
};

}  // namespace dray::server::verbs::inline context
