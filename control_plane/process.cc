// SPDX-License-Identifier: Apache-2.0
#include "control_plane/process.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "control_plane/credentials.h"
#include "control_plane/gate_metrics.h"
#include "control_plane/new_claims.h"
#include "control_plane/server_address.h"
#include "net/request_tracker.h"
#include "net/server/descriptors.h"
#include "net/server/own_addresses.h"
#include "server/access/service_account_token.h"
#include "server/registry/rule_set.h"

namespace dray::control_plane {
namespace {

constexpr std::chrono::milliseconds kShutdownGrace{2000};
// Two writes to etcd keep a marked object about as long.
constexpr std::chrono::milliseconds kRemovalPause{10};
constexpr size_t kBinders = 2;  // while one waits for a commit's flush, the other prepares

/// Health checks with kube-apiserver's names, whatever the store is, because probes use them.
std::vector<server::http::HealthCheck> Checks(const std::function<bool()>& has_store,
                                              const server::verbs::Resources& resources) {
  const auto always = [] { return true; };
  std::vector<server::http::HealthCheck> checks = {
      {.name = "log", .passes = always},
      {.name = "loopback-serving-certificate", .passes = always, .liveness_only = true},
      {.name = "etcd", .passes = has_store},
      {.name = "etcd-readiness", .passes = has_store, .readiness_only = true},
      server::http::StateIsRead(resources)};
  for (server::http::HealthCheck& check : server::http::StartedParts(resources, has_store)) {
    checks.push_back(std::move(check));
  }
  checks.push_back({.name = "shutdown", .passes = always, .readiness_only = true});
  checks.push_back(server::http::RefusedWrites(resources));
  return checks;
}

server::verbs::User ComponentsUser() {
  return {.name = "system:dray", .groups = {"system:masters"}};
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

server::verbs::LeaseCondition LeaseOf(const client::LeaderTerm& term) {
  return {.namespace_ = term.lease_namespace,
          .name = term.lease_name,
          .holder = term.holder,
          .transitions = term.transitions};
}

}  // namespace

Process::Process(World& world, Log log, ProcessOptions options)
    : world_(world), log_(std::move(log)), options_(std::move(options)) {}

Process::~Process() {
  election_.reset();
  if (components_.has_value()) components_->Stop();
  leader_client_.reset();
  client_.reset();
  if (http_ != nullptr) http_->Shutdown(kShutdownGrace);
  if (removal_pauses_.has_value()) removal_pauses_->Close();
  if (resources_ != nullptr) resources_->EndCalls();
  if (api_.has_value()) api_->Drain();
  housekeeping_.reset();
  tls_files_.reset();
  http_.reset();
}

Result<> Process::Start() {
  DRAY_TRY_VOID(StartServer());
  return StartComponents();
}

Result<> Process::MakeApi(const server::http::Authenticator& authenticator) {
  DRAY_TRY(auto auditor, MakeAuditor(world_, log_, options_.audit));
  server::http::HttpApiOptions api_options{
      .authenticator = authenticator,
      .checks = Checks([this] { return store_->status().failure.empty(); }, *resources_),
      .reads_max = options_.reads_in_flight_max,
      .writes_max = options_.writes_in_flight_max,
      .metrics = metrics_,
      .measure = [this] { store_->Measure(); },
      .request_waits =
          [this] {
            const net::server::HttpServer* const http = measured_http_;
            return http == nullptr ? net::RequestWaits() : http->request_waits();
          },
      .profiling = options_.profiling,
      .auditor = std::move(auditor),
      .state_metrics = options_.state_metrics,
      .pages = options_.pages};
  if (options_.pages != nullptr) {
    api_options.commit_times =
        std::make_shared<server::storage::CommitTimes>(*store_, world_.clock);
  }
  if (options_.waits_for_objects) {
    api_options.checks.push_back({.name = "given-objects",
                                  .passes = [this] { return has_objects_.load(); },
                                  .readiness_only = true});
  }
  api_.emplace(*resources_, world_, log_, std::move(api_options));
  return {};
}

/// Starts to serve requests; StartComponents starts the other components.
Result<> Process::StartServer() {
  DRAY_TRY(const server::http::Authenticator authenticator, ReadTokens());
  DRAY_TRY_VOID(CheckFiles());
  DRAY_TRY_VOID(MakeDataFolder());
  // Certificates and kubeconfig belong to this server, wherever its objects are stored.
  if (options_.store.memory || !options_.store.etcd_servers.empty()) {
    DRAY_TRY(folder_lock_, store::sqlite::FolderLock::Take(options_.store.data_folder));
  }
  DRAY_TRY(OpenedStore opened, OpenStore(world_, log_, options_.store));
  DRAY_TRY(const auto kinds, server::registry::ServedKinds(scheme_, options_.emulation));
  scheme_ = api::Scheme(kinds);
  store_ = std::make_unique<server::storage::MeasuredStore>(
      std::move(opened.store), scheme_, world_.clock, *metrics_);
  holder_ = opened.holder;
  ReportGates(options_.emulation, *metrics_);
  DRAY_TRY_VOID(MakeResources(authenticator));
  DRAY_TRY_VOID(Wait(resources_->Bootstrap()));
  DRAY_TRY_VOID(Wait(resources_->BootstrapObjects()));
  const ServerAddress address =
      AddressOf(options_.listen.host, options_.tls_names, net::server::NamesOfThisMachine());
  DRAY_TRY(const ServerCredentials credentials,
           LoadOrMakeCredentials(world_, options_.store.data_folder, address.names));
  DRAY_TRY_VOID(MakeApi(authenticator));
  tls_files_.emplace(
      world_,
      log_,
      options_.tls_files,
      credentials,
      options_.http2 ? net::tls::HttpVersions::kEither : net::tls::HttpVersions::kHttp1);
  DRAY_TRY(const auto tls, tls_files_->Load());
  DRAY_TRY_VOID(Wait(resources_->BootstrapAccounts(tls_files_->TrustedByClients())));
  DRAY_TRY(
      http_,
      net::server::HttpServer::Start(
          world_.clock,
          log_,
          {.address = options_.listen.host,
           .port = options_.listen.port,
           .tls = tls,
           .plain_http2 = options_.http2,
           .connections_max = net::server::ConnectionsWithin(net::server::RaiseDescriptorLimit()),
           .body_bytes_max = server::http::kBodyBytesMax,
           .http2_streams_max = options_.http2_streams_max},
          *api_));
  measured_http_ = http_.get();
  housekeeping_.emplace(*store_,
                        world_.clock,
                        *http_->reactors().front(),
                        *resources_,
                        options_.store.compaction_interval.value_or(std::chrono::nanoseconds(0)));
  DRAY_TRY_VOID(Wait(resources_->BootstrapCluster(address.advertised, http_->port())));
  if (options_.watches_begin_at_start) resources_->BeginWatchesAt(store_->Read()->revision());
  url_ = fmt::format("https://{}",
                     net::HostPort(net::Endpoint{.host = address.local, .port = http_->port()}));
  DRAY_TRY(kubeconfig_,
           WriteKubeconfig(world_,
                           options_.store.data_folder,
                           url_,
                           tls_files_->TrustedByClients(),
                           credentials.admin));
  tls_files_->Watch(*http_->reactors().front());
  return {};
}

Result<server::http::Authenticator> Process::ReadTokens() const {
  server::http::Authenticator known;
  if (!options_.token_file.empty()) {
    const auto refuse = [&](const Error& error) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--token-file {}: {}", options_.token_file, error.message));
    };
    const Result<std::string> csv = world_.disk.Read(options_.token_file);
    if (!csv) return refuse(csv.error());
    auto read = server::http::Authenticator::FromTokenFile(*csv, world_.random.Next());
    if (!read) return refuse(read.error());
    known = *std::move(read);
  }
  if (!options_.anonymous) known.RefuseAnonymous();
  known.RememberBy(world_.random.Next());
  return known;
}

/// Checks files of the options before anything is created, so that a wrong one leaves nothing
/// behind.
Result<> Process::CheckFiles() const {
  if (!options_.token_key_file.empty()) {
    const auto key =
        LoadOrMakeTokenKey(world_, options_.store.data_folder, options_.token_key_file);
    if (!key) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--service-account-signing-key-file {}", key.error().message));
    }
  }
  DRAY_TRY_VOID(CheckAuditPolicy(world_, options_.audit));
  return CheckTlsFiles(world_, options_.tls_files);
}

Result<> Process::MakeDataFolder() const {
  const Result<> made = world_.disk.MakeFolder(options_.store.data_folder);
  if (made) return {};
  return Fail(StatusReason::kBadRequest, fmt::format("--data-dir: {}", made.error().message));
}

Result<> Process::MakeResources(const server::http::Authenticator& authenticator) {
  DRAY_TRY(net::tls::TokenKey token_key,
           LoadOrMakeTokenKey(world_, options_.store.data_folder, options_.token_key_file));
  const std::string issuer = options_.token_issuer.empty()
                                 ? std::string(server::access::kUsualIssuer)
                                 : options_.token_issuer;
  // Controllers and schedulers of other programs see what their caches have.
  std::function<void(Pauses::Resume)> removal_pause;
  if (!options_.scheduler && !options_.controllers && !options_.nodes) {
    removal_pauses_.emplace(world_.clock, kRemovalPause);
    removal_pause = [this](Pauses::Resume resume) { removal_pauses_->Begin(std::move(resume)); };
  }
  resources_ = std::make_unique<server::verbs::Resources>(
      scheme_,
      *store_,
      world_,
      log_,
      server::verbs::Options{
          .rules = server::registry::RuleSet(options_.emulation),
          .exclusive_devices = !options_.allow_overlapping_allocations,
          .plugins = options_.plugins,
          .makes_accounts = options_.makes_accounts,
          .release = options_.emulation.release,
          .workers = &workers_,
          .metrics = metrics_.get(),
          .event_life = options_.event_life,
          .warns_of_idle_kinds = options_.scheduler && options_.controllers && options_.nodes,
          .user_of_token =
              [authenticator](std::string_view token) { return authenticator.UserOf(token); },
          .rbac = options_.rbac,
          .tokens = std::make_shared<server::access::TokenIssuer>(
              std::move(token_key), issuer, std::vector{issuer}),
          .token_seconds_max = options_.token_seconds_max,
          .removal_pause = removal_pause});
  return {};
}

Result<ComponentsOptions> Process::ChooseComponents() const {
  DRAY_TRY(ComponentsOptions chosen, OptionsFor(options_.emulation));
  chosen.scheduler = options_.scheduler;
  chosen.controllers = options_.controllers;
  chosen.nodes = options_.nodes;
  chosen.binders = options_.store.memory ? 0 : kBinders;
  std::vector<std::string> declared = std::move(chosen.simulated.publish.declared_features);
  chosen.simulated = options_.simulated;
  chosen.simulated.publish.declared_features = std::move(declared);
  chosen.scheduling = options_.scheduling;
  chosen.explain = options_.explain;
  chosen.metrics = metrics_.get();
  chosen.simulated.publish.on_published = [this](const std::string& what, const Result<>& made) {
    resources_->own_writes().Note(what, made);
  };
  return chosen;
}

Result<> Process::StartComponents() {
  client_.emplace(
      *resources_,
      ComponentsUser(),
      InProcessOptions{.holder = holder_, .records = store_.get(), .may_wait = IsNewClaim});
  DRAY_TRY(ComponentsOptions chosen, ChooseComponents());
  components_.emplace(*client_, world_, log_, resources_->scheme(), chosen);
  if (options_.store.etcd_servers.empty()) return components_->Start();
  if (components_->any()) election_.emplace(MakeElection(*client_, std::move(chosen)));
  return {};
}

/// Starts the components with a client whose writes are valid for this term only.
Result<> Process::Lead(const client::LeaderTerm& term, const ComponentsOptions& chosen) {
  components_.reset();
  leader_client_.emplace(*resources_,
                         ComponentsUser(),
                         InProcessOptions{.holder = holder_,
                                          .records = store_.get(),
                                          .under_lease = LeaseOf(term),
                                          .may_wait = IsNewClaim});
  components_.emplace(*leader_client_, world_, log_, resources_->scheme(), chosen);
  return components_->Start();
}

/// Elects the server that runs components among those that share an etcd.
std::unique_ptr<client::LeaderElection> Process::MakeElection(client::Client& client,
                                                              ComponentsOptions chosen) {
  const auto start = [this, chosen = std::move(chosen)](const client::LeaderTerm& term) {
    const Result<> started = Lead(term, chosen);
    if (!started) log_.Error("components do not start", "error", started.error().message);
    return started.has_value();
  };
  return std::make_unique<client::LeaderElection>(
      client,
      world_,
      log_,
      client::LeaderElectionOptions{
          .identity = fmt::format("{}_{}", HostName(), NewUuid(world_.random)),
          .duration = options_.lease_duration},
      client::LeaderCallbacks{.started = start, .stopped = [this] { components_->Stop(); }});
}

}  // namespace dray::control_plane
