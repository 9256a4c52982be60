// SPDX-License-Identifier: Apache-2.0
// What whoever builds the verbs decides about them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "api/release.h"
#include "server/registry/rule_set.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/request.h"

namespace dray {
class WorkerPool;  // base/worker_pool.h
}
namespace dray::metrics {
class Registry;  // metrics/registry.h
}
namespace dray::server::access {
class TokenIssuer;  // server/access/service_account_token.h
}

namespace dray::server::verbs {

/// Records that a request looks at, and bytes of them, before it counts as long: some five
/// milliseconds of work, when objects have to be decoded.
inline constexpr size_t kShortRecords = 64;
inline constexpr size_t kShortBytes = size_t{64} << 10;

struct Options {
  /// Names that are tried before a create with generateName gives up.
  int generate_name_tries = 8;
  registry::RuleSet rules = registry::RuleSet();
  /// Off as upstream: a status may allocate what another claim has.
  bool exclusive_devices = true;
  /// Admission plugins that are on. With ServiceAccount, namespaces get what its tokens take. With
  /// TaintNodesByCondition, new nodes have a taint until a node life-cycle controller finds them
  /// ready; Dray's own controllers do not.
  admission::PluginSet plugins = admission::PluginSet::Usual();
  /// Whose shapes clients read and write; kAny: those of every release.
  api::Release release = api::Release::kAny;
  /// Where long requests are carried out; outlives the verbs. Null: on the threads they come from.
  WorkerPool* workers = nullptr;
  /// Where calls of webhooks are counted; outlives the verbs. Null: nowhere.
  metrics::Registry* metrics = nullptr;
  /// How long an Event lives after it was written last.
  std::chrono::nanoseconds event_life = std::chrono::hours(1);
  /// Who writes what nothing here acts on is told: where this is all of the cluster there is.
  bool tells_of_idle_kinds = false;
  /// Whose a bearer token is, for TokenReview; nothing when nobody's. Called from any thread. Null:
  /// no token is known.
  std::function<std::optional<User>(std::string_view token)> user_of_token = {};
  /// Roles and bindings decide who may do what; else everybody who is known may do everything.
  bool rbac = false;
  /// Signs and reads tokens of service accounts. Null: there are none.
  std::shared_ptr<access::TokenIssuer> tokens = nullptr;
  /// Seconds that a token is given at most; 0: as many as are asked for.
  int64_t token_seconds_max = 0;
};

}  // namespace dray::server::verbs
