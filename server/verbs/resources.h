// SPDX-License-Identifier: Apache-2.0
// The verbs: what get, list, watch, create, update, patch, delete and deletecollection do to the
// objects of every kind in the scheme, over a store. Knows nothing of HTTP; the edge and in-process
// clients call it alike. Behaviour: the Kubernetes API conventions; words and codes as recorded
// from real servers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "base/world.h"
#include "server/verbs/answer.h"
#include "server/verbs/options.h"
#include "server/verbs/own_writes.h"
#include "server/verbs/request.h"
#include "server/verbs/watch_cursor.h"
#include "store/store.h"

namespace dray::server::verbs {

struct Core;       // server/verbs/call.h
class Rights;      // server/verbs/rights.h
class RemoteApis;  // server/verbs/remote_apis.h

/// What a server makes when it starts, in this order.
enum class FirstStep : uint8_t {
  kNamespaces,  // Resources::Bootstrap
  kObjects,     // BootstrapObjects
  kCluster,     // BootstrapCluster
};

/// Thread-safe. The store and the world outlive it.
class Resources {
 public:
  Resources(const api::Scheme& scheme,
            store::Store& store,
            World& world,
            Log log,
            const Options& options);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  /// Every verb but watch. For a caller on one of `workers()` the request continues there, never on
  /// a thread of the store (server/storage/write_session.h).
  Task<Answer> Handle(ResourceRequest request);

  /// Whether the store has CommitSteps, so that HandleInSequence can be used.
  bool takes_steps() const;
  /// Carries out requests that write, each on what those before it leave; all of them, or none. A
  /// request that has nothing to write counts as refused. Answers in the same order. At most
  /// store::kStepsMax requests.
  Task<std::vector<Result<Answer>>> HandleInSequence(std::vector<ResourceRequest> requests);

  /// Whether carrying out `request`, of which the body need not be there yet, means looking at more
  /// than kShortRecords or kShortBytes of what is stored, or judging it by any number of parameters
  /// of policies. O(log n + kShortRecords).
  bool IsLong(const ResourceRequest& request) const;

  /// Options::workers.
  WorkerPool* workers() const;

  /// Fails the calls of webhooks that are under way, and all later ones, so that no request waits
  /// for one any more: the server stops.
  void EndCalls();

  /// How many objects of each stored kind there are now. O(kinds * log n).
  struct Count {
    const api::KindInfo* kind;  // a hub
    size_t objects;
  };
  std::vector<Count> CountObjects() const;

  /// Whether a watch waits for another program before it begins: see PrepareWatch.
  bool MustPrepareWatch(const ResourceRequest& request) const;
  /// Has a webhook convert all objects that the watch is about. A watch that begins without it
  /// waits for them later. Errors: kTooManyRequests  one of them cannot be converted.
  Task<> PrepareWatch(ResourceRequest request);
  /// Opens a watch (verb kWatch). Errors before the stream begins are plain errors; a revision that
  /// is too old arrives as the first event.
  Result<std::unique_ptr<WatchCursor>> Watch(const ResourceRequest& request);

  /// Namespaces and other objects every new server has (default, kube-system, kube-public,
  /// kube-node-lease); and what the verbs must know of those that are there. Idempotent.
  Task<> Bootstrap();
  /// What a whole cluster has besides: the system's priority classes, and the Service "kubernetes"
  /// whose endpoints are this server at `address` and `port`. Idempotent.
  Task<> BootstrapCluster(std::string address, uint16_t port);

  /// What Kubernetes makes of itself, where it is not there yet: with Options::rbac the roles and
  /// bindings of its bootstrap policy; levels and flow schemas; an APIService for each group and
  /// version. Idempotent.
  Task<> BootstrapObjects();

  /// Writes of this server itself that are refused, those of its components among them. What is
  /// refused while it starts is no reason not to: each Bootstrap notes it here and goes on.
  OwnWrites& own_writes() const;
  /// Tries again what the Bootstraps could not write; after BootstrapCluster, one at a time.
  Task<> RepeatOwnWrites();

  /// Whether that step is done. Any thread.
  bool HasMade(FirstStep step) const;

  /// With the plugin ServiceAccount on, what each namespace has for its pods, which trust
  /// `certificates` (PEM). Idempotent; call it before requests come.
  Task<> BootstrapAccounts(std::string certificates);

  /// From now on lists of a state before `revision`, and continue tokens of one, are too old, as if
  /// etcd had been compacted under kube-apiserver. Watches go on from wherever the store has
  /// events.
  void ForgetStatesBefore(Revision revision);

  /// From now on watches of what came after an earlier revision are too late, whatever the store
  /// still has: as if kube-apiserver had been started with that state.
  void BeginWatchesAt(Revision revision);

  /// The service account that shows `token` to this server, without the group of all who are known.
  /// Errors: kUnauthorized.
  Result<User> UserOfToken(std::string_view token) const;

  /// Who may do what; null when everybody may do everything.
  Rights* rights() const;
  /// Options::tokens.
  const std::shared_ptr<access::TokenIssuer>& tokens() const;

  /// What other servers answer for; null before Bootstrap().
  const RemoteApis* remote_apis() const;

  /// All kinds that there are now, custom kinds among them.
  const api::LiveScheme& scheme() const { return scheme_; }
  api::Release release() const;

 private:
  void Note(FirstStep step);
  struct Parts;
  void CatchUp();

  api::LiveScheme scheme_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::server::verbs
