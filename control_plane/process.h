// SPDX-License-Identifier: Apache-2.0
// A whole control plane in this process: the store, the API server on top of it, and the
// components, which call the server without sockets.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/log.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "base/world.h"
#include "client/client.h"
#include "client/leader_election.h"
#include "control_plane/audit_files.h"
#include "control_plane/components.h"
#include "control_plane/housekeeping.h"
#include "control_plane/in_process_client.h"
#include "control_plane/pauses.h"
#include "control_plane/store_choice.h"
#include "control_plane/tls_files.h"
#include "metrics/registry.h"
#include "net/http2/limits.h"
#include "net/server/http_server.h"
#include "net/url.h"
#include "node/simulated_nodes.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/reports/unfit_pod.h"
#include "server/http/http_api.h"
#include "server/http/pages.h"
#include "server/registry/served_kinds.h"
#include "server/storage/measured_store.h"
#include "server/verbs/resources.h"
#include "store/sqlite/folder_lock.h"
#include "store/store.h"

namespace dray::control_plane {

struct ProcessOptions {
  net::Endpoint listen;
  std::vector<std::string> tls_names;  // more names for the server's own certificate
  bool anonymous = true;               // requests without credentials run as system:anonymous
  StoreChoice store;
  std::string token_file;                                        // empty: certificates only
  size_t reads_in_flight_max = server::http::kReadsInFlightMax;  // 0: no limit
  size_t writes_in_flight_max = server::http::kWritesInFlightMax;
  std::string token_key_file;  // signs service account tokens; empty: the data folder's
  std::string token_issuer;    // their issuer; empty: Kubernetes' default
  TlsFileNames tls_files;      // instead of files of the data folder
  bool http2 = true;           // offered in addition to HTTP/1.1
  uint32_t http2_streams_max = net::http2::kStreamsMax;
  server::registry::Emulation emulation;
  bool allow_overlapping_allocations = false;  // as upstream: a device may be in several claims
  /// The enabled admission plugins.
  server::verbs::admission::PluginSet plugins = server::verbs::admission::PluginSet::Usual();
  /// Whether namespaces get accounts while plugin ServiceAccount is on.
  bool makes_accounts = true;
  int64_t token_seconds_max = 0;  // limit for service account tokens; 0: none
  bool rbac = true;               // RBAC decides; false: authenticated users may do everything
  bool profiling = false;         // serves profiles of this process
  bool state_metrics = false;     // objects as series in /metrics
  std::shared_ptr<const server::http::Pages> pages = nullptr;  // below /ui/; null: none
  std::chrono::nanoseconds event_life = std::chrono::hours(1);
  std::chrono::seconds lease_duration{15};  // of the leader among servers that share an etcd
  AuditFiles audit;                         // the audit log
  bool watches_begin_at_start = false;      // as upstream: without older events
  bool waits_for_objects = false;           // not ready before NoteObjects()
  bool scheduler = false, controllers = false, nodes = false;  // enabled components
  scheduler::Configuration scheduling;
  /// Explains in events why pods get no devices; not set: there are no such events.
  scheduler::ExplainUnfit explain = {};
  node::SimulatedNodes::Options simulated;
};

/// Not thread-safe.
class Process {
 public:
  /// The world must outlive it.
  Process(World& world, Log log, ProcessOptions options);
  /// Stops the components, then the server. Running requests get a little time to end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Opens the store, serves requests, then starts the components. Call it once.
  ///
  /// Errors: kBadRequest  a file of the data folder, or the token file, does not parse.
  /// kInvalid  the emulation names something that its release lacks. Those of OpenStore, of
  /// net::server::HttpServer, of the components, and of the disk.
  Result<> Start();

  // Valid after Start.
  const std::string& url() const { return url_; }
  const std::string& kubeconfig() const { return kubeconfig_; }  // path of the file
  /// A client with all rights.
  client::Client& client() { return *client_; }
  /// The kinds that are served, custom kinds among them.
  const api::LiveScheme& scheme() const { return resources_->scheme(); }
  /// The objects for which ProcessOptions::waits_for_objects makes clients wait are there.
  void NoteObjects() { has_objects_ = true; }

 private:
  Result<> StartServer();
  Result<server::http::Authenticator> ReadTokens() const;
  Result<> CheckFiles() const;
  Result<> MakeDataFolder() const;
  Result<> MakeResources(const server::http::Authenticator& authenticator);
  Result<> MakeApi(const server::http::Authenticator& authenticator);
  Result<> StartComponents();
  Result<ComponentsOptions> ChooseComponents() const;
  Result<> Lead(const client::LeaderTerm& term, const ComponentsOptions& chosen);
  std::unique_ptr<client::LeaderElection> MakeElection(client::Client& client,
                                                       ComponentsOptions chosen);

  World& world_;
  Log log_;
  const ProcessOptions options_;

  // In the order of construction.
  const std::shared_ptr<metrics::Registry> metrics_ = std::make_shared<metrics::Registry>();
  api::Scheme scheme_;
  std::optional<store::sqlite::FolderLock> folder_lock_;  // if the store does not hold it
  std::unique_ptr<server::storage::MeasuredStore> store_;
  store::CommitHolder* holder_ = nullptr;           // OpenedStore::holder
  WorkerPool workers_{WorkerPool::UsualThreads()};  // for requests that take long
  std::optional<Pauses> removal_pauses_;            // if controllers run elsewhere
  std::unique_ptr<server::verbs::Resources> resources_;
  std::optional<server::http::HttpApi> api_;
  std::unique_ptr<net::server::HttpServer> http_;
  std::atomic<const net::server::HttpServer*> measured_http_ = nullptr;  // http_, for /metrics
  std::optional<Housekeeping> housekeeping_;
  std::optional<TlsFiles> tls_files_;
  std::string url_, kubeconfig_;
  std::atomic<bool> has_objects_ = false;
  std::optional<InProcessClient> client_;         // for the election, or components without one
  std::optional<InProcessClient> leader_client_;  // for components, for one term
  std::optional<Components> components_;
  std::optional<Running<client::LeaderElection>> election_;
};

}  // namespace dray::control_plane
