// SPDX-License-Identifier: Apache-2.0
// The verbs get, list, watch, create, update, patch, delete and deletecollection on the objects of
// every kind in the scheme, over a store. Independent of HTTP: the edge and in-process clients use
// the same calls. Behaviour: the Kubernetes API conventions; words and codes as recorded from real
// servers.
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
#include "server/verbs/context/answer.h"
#include "server/verbs/context/options.h"
#include "server/verbs/context/own_writes.h"
#include "server/verbs/context/request.h"
#include "server/verbs/read/past.h"
#include "server/verbs/watches/watch_cursor.h"
#include "store/store.h"

namespace dray::server::verbs {

inline namespace context {
struct Core;   // server/verbs/context/call.h
class Rights;  // server/verbs/context/rights.h
}  // namespace context
inline namespace controllers {
class RemoteApis;  // server/verbs/controllers/remote_apis.h
}  // namespace controllers

/// The steps in which a server creates its first objects, in order.
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

  /// Every verb but watch. A request from one of `workers()` continues on a worker, never on a
  /// thread of the store (server/storage/write_session.h).
  Task<Answer> Handle(ResourceRequest request);

  /// Whether the store has CommitSteps, so that HandleInSequence can be used.
  bool takes_steps() const;
  /// Carries out requests that write, each on the state that the requests before it leave. Either
  /// all are carried out, or none. A request that has nothing to write counts as refused. Answers
  /// are in the order of the requests. At most store::kStepsMax requests.
  Task<std::vector<Result<Answer>>> HandleInSequence(std::vector<ResourceRequest> requests);

  /// Whether `request`, whose body may not have arrived yet, may read more than kShortRecords
  /// records or kShortBytes of the store, or policies evaluate it for an unknown number of
  /// parameters. O(log n + kShortRecords).
  bool IsLong(const ResourceRequest& request) const;

  /// Options::workers.
  WorkerPool* workers() const;

  /// Call when the server stops: fails the calls of webhooks that are under way, and all later
  /// ones, so that no request waits for one.
  void EndCalls();

  /// See read::ReadPast (server/verbs/read/past.h); `request` is a list.
  Result<Revision> ReadPast(const ResourceRequest& request,
                            Revision after,
                            const SeePast& see) const;
  /// The oldest revision of which the store still has all later changes.
  Revision past_begin() const;

  /// The number of objects of each stored kind now. O(kinds * log n).
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

  /// Creates the namespaces of every new server (default, kube-system, kube-public,
  /// kube-node-lease), and loads what the verbs need to know about stored objects. Idempotent.
  Task<> Bootstrap();
  /// Creates what a whole cluster has besides: the system's priority classes, and the Service
  /// "kubernetes" whose endpoint is this server at `address` and `port`. Idempotent.
  Task<> BootstrapCluster(std::string address, uint16_t port);

  /// Creates the missing ones of the objects that kube-apiserver creates: with Options::rbac the
  /// roles and bindings of its bootstrap policy; priority levels and flow schemas; an APIService
  /// for each group and version. Idempotent.
  Task<> BootstrapObjects();

  /// Writes of this server and its components that were refused. A refused write does not keep the
  /// server from starting: each Bootstrap records it here and continues.
  OwnWrites& own_writes() const;
  /// Retries the writes that the Bootstraps could not make. Call it after BootstrapCluster(), and
  /// not concurrently.
  Task<> RepeatOwnWrites();

  /// Whether that step is done. Safe from any thread.
  bool HasMade(FirstStep step) const;

  /// With the plugin ServiceAccount on, creates in each namespace what tokens of its pods need; the
  /// pods trust `certificates` (PEM). Idempotent; call it before requests come.
  Task<> BootstrapAccounts(std::string certificates);

  /// From now on lists and continue tokens of a state before `revision` fail as too old, as if etcd
  /// had been compacted under kube-apiserver. Watches can still begin wherever the store has
  /// events.
  void ForgetStatesBefore(Revision revision);

  /// From now on watches from a revision before `revision` fail as too old, even if the store still
  /// has the events: as if kube-apiserver had been started with that state.
  void BeginWatchesAt(Revision revision);

  /// Gives back the memory of lists that no client has asked for lately (storage::ListCache).
  void DropIdleLists(WallTime now);

  /// The service account of `token`, without the group system:authenticated. Errors: kUnauthorized
  /// the token is not valid for this server.
  Result<User> UserOfToken(std::string_view token) const;

  /// The RBAC authorizer; null: every user may do everything.
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
