// SPDX-License-Identifier: Apache-2.0
#include "cli/serve.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "allocator/feature_switches.h"
#include "api/kind.h"
#include "cli/version.h"
#include "client/leader_election.h"
#include "control_plane/components.h"
#include "control_plane/credentials.h"
#include "control_plane/housekeeping.h"
#include "control_plane/in_process_client.h"
#include "control_plane/store_choice.h"
#include "dray/profile.h"
#include "net/server/http_server.h"
#include "net/url.h"
#include "node/profile.h"
#include "server/http/http_api.h"
#include "server/registry/rule_set.h"
#include "server/verbs/resources.h"
#include "store/store.h"

namespace dray::cli {
namespace {

constexpr std::chrono::milliseconds kShutdownGrace{2000};
constexpr size_t kBinders = 16;  // where a commit waits for a disk
constexpr std::string_view kComponents[] = {"apiserver", "scheduler", "controllers", "nodes"};

bool Has(const ServeOptions& options, std::string_view component) {
  return std::ranges::find(options.components, component) != options.components.end();
}

Result<> CheckComponents(const ServeOptions& options) {
  for (const std::string& name : options.components) {
    if (std::ranges::find(kComponents, name) == std::end(kComponents)) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format("--components: \"{}\" is none of apiserver, scheduler, controllers, nodes",
                      name));
    }
  }
  if (!Has(options, "apiserver")) {
    return Fail(StatusReason::kBadRequest,
                "--components: apiserver must be one of them; components against another server "
                "come later");
  }
  return {};
}

/// "ADDRESS:PORT"; IPv6 addresses in brackets; port 0 is any free one.
Result<net::Endpoint> ParseListen(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  net::Endpoint endpoint{.host = listen.substr(0, colon)};
  if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']')) {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  }
  const char* const digits =
      colon == std::string::npos ? listen.data() + listen.size() : listen.data() + colon + 1;
  const char* const end = listen.data() + listen.size();
  const auto read = std::from_chars(digits, end, endpoint.port);
  if (endpoint.host.empty() || digits == end || read.ec != std::errc() || read.ptr != end) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--listen {}: expected ADDRESS:PORT, as in 127.0.0.1:6443", listen));
  }
  return endpoint;
}

/// What the options say the server plays. Errors: kBadRequest, with the option's name.
Result<server::registry::Emulation> EmulationOf(const ServeOptions& options) {
  const auto refuse = [](std::string_view option, const Error& error) {
    return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", option, error.message));
  };
  server::registry::Emulation emulation{.runtime_config = options.runtime_config};
  api::Release rules = api::Release::kNewest;
  if (!options.release.empty()) {
    const Result<api::Release> release = api::ParseRelease(options.release);
    if (!release) return refuse("--emulate-release", release.error());
    emulation.release = rules = *release;
  }
  emulation.gates = api::FeatureGates::AllOf(rules);
  const Result<> applied = emulation.gates.Apply(options.feature_gates, rules);
  if (!applied) return refuse("--feature-gates", applied.error());
  return emulation;
}

/// The gates decide what the search knows, as they decide what the API has. Older releases had
/// searches of their own; their objects get that of 1.37.
Result<allocator::Features> SearchFeatures(const server::registry::Emulation& emulation) {
  const bool is_newest =
      emulation.release == api::Release::kAny || emulation.release == api::Release::kNewest;
  if (!is_newest) return allocator::Features();
  return allocator::FeaturesOf(allocator::Profile(), emulation.gates);
}

Result<control_plane::ComponentsOptions> ComponentsOf(const ServeOptions& options) {
  DRAY_TRY(const server::registry::Emulation emulation, EmulationOf(options));
  DRAY_TRY(const allocator::Features features, SearchFeatures(emulation));
  control_plane::ComponentsOptions components{.scheduler = Has(options, "scheduler"),
                                              .controllers = Has(options, "controllers"),
                                              .nodes = Has(options, "nodes"),
                                              .binders = options.store.memory ? 0 : kBinders,
                                              .features = features};
  for (const NodesOption& wanted : options.nodes) {
    components.simulated.profiles.emplace_back(wanted.profile, wanted.count);
  }
  return components;
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

/// SIGINT and SIGTERM, blocked in every thread and taken by Wait().
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void Wait() const {
    int signal = 0;
    sigwait(&set_, &signal);
  }

 private:
  sigset_t set_{};
};

/// Everything a server is made of, in the order it is made; taken down in the opposite one.
class Process {
 public:
  Process(World& world, const ServeOptions& options)
      : world_(world),
        options_(options),
        log_(Log::ToStderr(world.clock,
                           {.least = options.log_level, .format = options.log_format})) {}

  ~Process() {
    election_.reset();
    if (components_.has_value()) components_->Stop();
    client_.reset();
    if (http_ != nullptr) http_->Shutdown(kShutdownGrace);
    if (api_.has_value()) api_->Drain();
    housekeeping_.reset();
    http_.reset();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Serves requests; the other components start with StartComponents.
  Result<> StartServer() {
    DRAY_TRY_VOID(CheckComponents(options_));
    DRAY_TRY_VOID(control_plane::CheckStoreChoice(options_.store));
    DRAY_TRY(const net::Endpoint endpoint, ParseListen(options_.listen));
    if (!server::http::IsLoopback(endpoint.host)) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--listen {}: only loopback addresses are served for now: every "
                              "known user may do everything",
                              options_.listen));
    }
    DRAY_TRY_VOID(world_.disk.MakeFolder(options_.store.data_folder));
    DRAY_TRY(store_, control_plane::OpenStore(world_, log_, options_.store));
    DRAY_TRY_VOID(MakeResources());
    DRAY_TRY_VOID(Wait(resources_->Bootstrap()));
    DRAY_TRY(
        const control_plane::ServerCredentials credentials,
        control_plane::LoadOrMakeCredentials(world_, options_.store.data_folder, endpoint.host));
    server::http::HttpApiOptions api_options{
        // Whatever the store is: probes know the name from kube-apiserver.
        .checks = {
            {.name = "etcd", .passes = [this] { return store_->status().failure.empty(); }}}};
    if (!options_.token_file.empty()) {
      DRAY_TRY(const std::string csv, world_.disk.Read(options_.token_file));
      DRAY_TRY(api_options.authenticator, server::http::Authenticator::FromTokenFile(csv));
    }
    api_.emplace(*resources_, world_, log_, std::move(api_options));
    DRAY_TRY(const auto tls,
             net::tls::ServerContext::Create({.credentials = credentials.serving,
                                              .client_ca_pem = credentials.ca.certificate_pem}));
    DRAY_TRY(http_,
             net::server::HttpServer::Start(world_.clock,
                                            log_,
                                            {.address = endpoint.host,
                                             .port = endpoint.port,
                                             .tls = tls,
                                             .body_bytes_max = server::http::kBodyBytesMax},
                                            *api_));
    housekeeping_.emplace(*store_, world_.clock, *http_->reactors().front());
    url_ = fmt::format("https://{}",
                       net::HostPort(net::Endpoint{.host = endpoint.host, .port = http_->port()}));
    DRAY_TRY(kubeconfig_,
             control_plane::WriteKubeconfig(world_, options_.store.data_folder, url_, credentials));
    return {};
  }

  Result<> MakeResources() {
    DRAY_TRY(const server::registry::Emulation emulation, EmulationOf(options_));
    const auto kinds = server::registry::ServedKinds(scheme_, emulation);
    if (!kinds) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--runtime-config: {}", kinds.error().message));
    }
    scheme_ = api::Scheme(*kinds);
    resources_ = std::make_unique<server::verbs::Resources>(
        scheme_,
        *store_,
        world_,
        log_,
        server::verbs::Options{.rules = server::registry::RuleSet(emulation),
                               .release = emulation.release});
    return {};
  }

  Result<> StartComponents() {
    client_.emplace(*resources_,
                    server::verbs::User{.name = "system:dray", .groups = {"system:masters"}});
    DRAY_TRY(control_plane::ComponentsOptions components, ComponentsOf(options_));
    components_.emplace(*client_, world_, log_, scheme_, std::move(components));
    if (options_.store.etcd_servers.empty()) return components_->Start();
    if (components_->any()) election_.emplace(MakeElection(*client_));
    return {};
  }

  /// Servers that share an etcd agree on one whose components run.
  std::unique_ptr<client::LeaderElection> MakeElection(client::Client& client) {
    const auto start = [this] {
      const Result<> started = components_->Start();
      if (!started) log_.Error("components do not start", "error", started.error().message);
      return started.has_value();
    };
    return std::make_unique<client::LeaderElection>(
        client,
        world_,
        log_,
        client::LeaderElectionOptions{.identity =
                                          fmt::format("{}_{}", HostName(), NewUuid(world_.random))},
        client::LeaderCallbacks{.started = start, .stopped = [this] { components_->Stop(); }});
  }

  void SayReady() const {
    fmt::print(
        "{} serves {}; objects are kept {}\n"
        "kubectl --kubeconfig {} get resourceslices\n",
        VersionLine(),
        url_,
        control_plane::WhereObjectsAre(options_.store),
        kubeconfig_);
    std::fflush(stdout);
  }

 private:
  World& world_;
  const ServeOptions& options_;
  Log log_;
  api::Scheme scheme_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::verbs::Resources> resources_;
  std::optional<server::http::HttpApi> api_;
  std::unique_ptr<net::server::HttpServer> http_;
  std::optional<control_plane::Housekeeping> housekeeping_;
  std::string url_, kubeconfig_;
  std::optional<control_plane::InProcessClient> client_;
  std::optional<control_plane::Components> components_;
  std::optional<control_plane::Running<client::LeaderElection>> election_;
};

}  // namespace

Result<NodesOption> ParseNodes(const std::string& text) {
  const size_t equals = text.find('=');
  NodesOption option{.profile = text.substr(0, equals)};
  const std::string digits = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), option.count);
  if (option.profile.empty() || digits.empty() || read.ec != std::errc() ||
      read.ptr != digits.data() + digits.size() || option.count > kSimulatedNodesMax) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format(
            "--nodes {}: expected PROFILE=COUNT with a count up to {}", text, kSimulatedNodesMax));
  }
  if (!node::HasProfile(option.profile)) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--nodes {}: no profile \"{}\"; there are {}",
                            text,
                            option.profile,
                            node::ProfileNames()));
  }
  return option;
}

int Serve(World& world, const ServeOptions& options) {
  const StopSignals stop;  // before any thread exists
  Process process(world, options);
  Result<> started = process.StartServer();
  if (started) started = process.StartComponents();
  if (!started) {
    fmt::print(stderr, "dray serve: {}\n", started.error().message);
    return started.error().reason == StatusReason::kBadRequest ? 2 : 1;
  }
  process.SayReady();
  stop.Wait();
  return 0;
}

}  // namespace dray::cli
