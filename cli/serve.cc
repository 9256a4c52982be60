// SPDX-License-Identifier: Apache-2.0
// dray serve: API server, scheduler, controllers and simulated nodes in one process.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdio_ext.h>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/measured_release.h"
#include "api/release.h"
#include "api/value/time.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/mistakes.h"
#include "cli/output.h"
#include "cli/stop_signals.h"
#include "cli/store_choice_options.h"
#include "control_plane/process.h"
#include "control_plane/store_choice.h"
#include "dray/profile.h"
#include "net/http2/limits.h"
#include "net/url.h"
#include "node/profile.h"
#include "node/simulated_nodes.h"
#include "planning/unfit_line.h"
#include "scheduler/configuration.h"
#include "server/registry/served_kinds.h"

namespace dray::cli {
namespace {

using NodeGroup = node::SimulatedNodes::Options::Group;

constexpr size_t kSimulatedNodesMax = 10'000;
constexpr uint32_t kHttp2StreamsMax = 100'000;  // a stream is some 1 KiB of memory
constexpr uint64_t kAuditMegabytesMax = 1'000'000;
constexpr uint64_t kAuditBackupsMax = 100'000;
constexpr uint64_t kAuditDaysMax = 36'500;
constexpr std::chrono::milliseconds kCompactionIntervalMin{100};
constexpr std::chrono::hours kCompactionIntervalMax{8760};
constexpr std::string_view kComponents[] = {"apiserver", "scheduler", "controllers", "nodes"};

struct ServeOptions {
  std::string listen = "127.0.0.1:6443";
  control_plane::StoreChoice store;
  std::string token_file;  // empty: certificates only
  std::string authorization = "RBAC";
  std::string token_key_file, token_issuer;  // kube-apiserver's names
  std::string components = "apiserver,scheduler,controllers,nodes";
  std::vector<std::string> nodes;   // PROFILE=COUNT each
  std::string release;              // --emulate-release; empty: both generations, newest rules
  std::string feature_gates;        // kube-apiserver's words
  std::string runtime_config;       // likewise
  std::string scheduler_config;     // a file; kube-scheduler's --config
  control_plane::AuditFiles audit;  // kube-apiserver's names
  std::string compaction_interval;  // likewise; empty: as the store does it by itself
  bool allow_overlapping_allocations = false;
  bool watches_begin_at_start = false;
  bool explain_events = true;
  control_plane::TlsFileNames tls_files;
  std::vector<std::string> tls_names;
  bool anonymous = true;
  bool disable_http2_serving = false;  // kube-apiserver's name
  uint32_t http2_streams = net::http2::kStreamsMax;
  size_t requests_in_flight = server::http::kReadsInFlightMax;  // kube-apiserver's names
  size_t mutating_requests_in_flight = server::http::kWritesInFlightMax;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

/// Errors: kBadRequest  a name that is no component, or no API server.
Result<std::vector<std::string>> ParseComponents(const std::string& text) {
  std::vector<std::string> names = CLI::detail::split(text, ',');
  for (const std::string& name : names) {
    if (std::ranges::find(kComponents, name) == std::end(kComponents)) {
      return Fail(WithMeantName(
          {.reason = StatusReason::kBadRequest,
           .message = fmt::format(
               "--components: \"{}\" is none of {}", name, fmt::join(kComponents, ", "))},
          name,
          kComponents));
    }
  }
  if (std::ranges::find(names, "apiserver") == names.end()) {
    return Fail(StatusReason::kBadRequest,
                "--components: apiserver must be one of them; components against another server "
                "come later");
  }
  return names;
}

/// "ADDRESS:PORT"; IPv6 addresses in brackets; port 0 is any free one. Errors: kBadRequest.
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
  if (endpoint.host == "localhost") endpoint.host = "127.0.0.1";
  return endpoint;
}

/// Other machines are served by roles only, and names are for certificates of our own.
/// Errors: kBadRequest.
Result<> CheckReach(const ServeOptions& options, const control_plane::ProcessOptions& process) {
  const bool is_local = server::http::IsLoopback(process.listen.host);
  if (!is_local && !process.rbac) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--listen {}: with --authorization-mode=AlwaysAllow only loopback "
                            "addresses are served; use RBAC",
                            options.listen));
  }
  if (!options.tls_names.empty() && !options.tls_files.certificate.empty()) {
    return Fail(StatusReason::kBadRequest,
                "--tls-san: the certificate of --tls-cert-file has its names already");
  }
  return {};
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
  emulation.gates = options.feature_gates.empty() ? api::FeatureGates::AllOf(rules)
                                                  : api::FeatureGates::DefaultsOf(rules);
  const Result<> applied = emulation.gates.Apply(options.feature_gates, rules);
  if (!applied) return refuse("--feature-gates", applied.error());
  const auto kinds = server::registry::ServedKinds(api::Scheme(), emulation);
  if (!kinds) return refuse("--runtime-config", kinds.error());
  return emulation;
}

/// "PROFILE=COUNT". Errors: kBadRequest.
Result<NodeGroup> ParseNodes(const std::string& text) {
  const size_t equals = text.find('=');
  NodeGroup group{.profile = text.substr(0, equals)};
  const std::string digits = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), group.count);
  if (group.profile.empty() || digits.empty() || read.ec != std::errc() ||
      read.ptr != digits.data() + digits.size() || group.count > kSimulatedNodesMax) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format(
            "--nodes {}: expected PROFILE=COUNT with a count up to {}", text, kSimulatedNodesMax));
  }
  if (!node::HasProfile(group.profile)) {
    return Fail(WithMeantName({.reason = StatusReason::kBadRequest,
                               .message = fmt::format("--nodes {}: no profile \"{}\"; there are {}",
                                                      text,
                                                      group.profile,
                                                      node::ProfileNames())},
                              group.profile,
                              node::Profiles()));
  }
  return group;
}

/// Whether roles and bindings decide. Errors: kBadRequest  a mode that there is not.
Result<bool> ParseAuthorization(const std::string& modes) {
  bool is_rbac = false;
  bool is_open = false;
  for (const std::string& mode : CLI::detail::split(modes, ',')) {
    is_rbac = is_rbac || mode == "RBAC";
    is_open = is_open || mode == "AlwaysAllow";
    if (mode == "RBAC" || mode == "AlwaysAllow") continue;
    return Fail(StatusReason::kBadRequest,
                fmt::format("--authorization-mode: \"{}\" is none of RBAC, AlwaysAllow", mode));
  }
  if (is_rbac || is_open) return !is_open;
  return Fail(StatusReason::kBadRequest, "--authorization-mode: RBAC or AlwaysAllow");
}

/// Errors: kBadRequest, with the option's name: no duration in Go's words, or out of bounds.
Result<std::chrono::nanoseconds> ParseCompactionInterval(const std::string& text) {
  const Result<api::Duration> duration = api::Duration::Parse(text);
  if (!duration) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--etcd-compaction-interval: {}", duration.error().message));
  }
  const std::chrono::nanoseconds interval(duration->nanos());
  const bool is_in_bounds =
      interval >= kCompactionIntervalMin && interval <= kCompactionIntervalMax;
  if (interval.count() == 0 || is_in_bounds) return interval;
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("--etcd-compaction-interval: {} is neither 0 nor from 100ms to 8760h", text));
}

/// Errors: those of ReadConfiguration and of the disk, with the option's name.
Result<scheduler::Configuration> SchedulingOf(Disk& disk, const std::string& file) {
  if (file.empty()) return scheduler::Configuration{};
  const auto refuse = [&](const Error& error) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--scheduler-config {}: {}", file, error.message));
  };
  const Result<std::string> text = disk.Read(file);
  if (!text) return refuse(text.error());
  Result<scheduler::Configuration> read = scheduler::ReadConfiguration(*text);
  if (!read) return refuse(read.error());
  return read;
}

Result<control_plane::ProcessOptions> ProcessOptionsOf(World& world, const ServeOptions& options) {
  control_plane::ProcessOptions process{
      .listen = {},
      .tls_names = options.tls_names,
      .anonymous = options.anonymous,
      .store = options.store,
      .token_file = options.token_file,
      .reads_in_flight_max = options.requests_in_flight,
      .writes_in_flight_max = options.mutating_requests_in_flight,
      .token_key_file = options.token_key_file,
      .token_issuer = options.token_issuer,
      .tls_files = options.tls_files,
      .http2 = !options.disable_http2_serving,
      .http2_streams_max = options.http2_streams,
      .allow_overlapping_allocations = options.allow_overlapping_allocations,
      .audit = options.audit,
      .watches_begin_at_start = options.watches_begin_at_start};
  if (options.explain_events) {
    process.explain = [&world](const auto& pod) { return planning::LineAbout(world, pod); };
  }
  for (const std::string& text : options.nodes) {
    DRAY_TRY(NodeGroup group, ParseNodes(text));
    process.simulated.profiles.push_back(std::move(group));
  }
  DRAY_TRY(const std::vector<std::string> components, ParseComponents(options.components));
  const auto has = [&](std::string_view name) {
    return std::ranges::find(components, name) != components.end();
  };
  process.scheduler = has("scheduler");
  process.controllers = has("controllers");
  process.nodes = has("nodes");
  DRAY_TRY_VOID(control_plane::CheckStoreChoice(options.store));
  if (!options.compaction_interval.empty()) {
    DRAY_TRY(process.store.compaction_interval,
             ParseCompactionInterval(options.compaction_interval));
  }
  DRAY_TRY(process.rbac, ParseAuthorization(options.authorization));
  DRAY_TRY(process.listen, ParseListen(options.listen));
  DRAY_TRY_VOID(CheckReach(options, process));
  DRAY_TRY(process.emulation, EmulationOf(options));
  DRAY_TRY(process.scheduling, SchedulingOf(world.disk, options.scheduler_config));
  return process;
}

/// What is played, and how well it is known.
std::string AboutRelease(api::Release release) {
  const std::string name = api::ReleaseName(release);
  const std::string profile = allocator::ToString(allocator::ProfileFor(release));
  if (!api::IsMeasured(release)) {
    return fmt::format(
        "it plays Kubernetes {}, which was not measured: its kinds and fields, with the rules of "
        "{}",
        name,
        api::ReleaseName(api::Release::k1_30));
  }
  if (release == api::Release::k1_30) return fmt::format("it plays Kubernetes {}", name);
  return fmt::format(
      "it plays Kubernetes {}; devices are chosen as by {}{}",
      name,
      profile,
      allocator::HasOwnProfile(release) ? "" : ", the nearest allocator that was measured");
}

/// Serves until SIGINT or SIGTERM. The exit code. Errors: why it cannot start; kBadRequest when the
/// options are to blame.
Result<int> Serve(World& world, const ServeOptions& options, const Output& output) {
  const StopSignals stop;  // before any thread exists
  DRAY_TRY(control_plane::ProcessOptions process_options, ProcessOptionsOf(world, options));
  const api::Release release = process_options.emulation.release;
  control_plane::Process process(
      world,
      Log::ToStderr(world.clock, {.least = options.log_level, .format = options.log_format}),
      std::move(process_options));
  DRAY_TRY_VOID(process.Start());
  fmt::print(output.out,
             "{} serves {}; objects are kept {}\n"
             "kubectl --kubeconfig {} get resourceslices\n",
             VersionLine(),
             process.url(),
             control_plane::WhereObjectsAre(options.store),
             process.kubeconfig());
  if (release != api::Release::kAny) fmt::print(output.out, "{}\n", AboutRelease(release));
  if (std::fflush(output.out) != 0) {  // a server is of use without its greeting
    std::clearerr(output.out);
    __fpurge(output.out);
  }
  stop.Wait();
  return kExitYes;
}

/// What connections are like.
void AddConnectionOptions(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--tls-cert-file",
                  options.tls_files.certificate,
                  "certificate to show (PEM, leaf first) instead of the server's own; read again "
                  "when it changes")
      ->type_name("FILE");
  command
      .add_option(
          "--tls-private-key-file", options.tls_files.key, "the key of that certificate (PEM)")
      ->type_name("FILE");
  command
      .add_option("--tls-san",
                  options.tls_names,
                  "a further name or address in the server's own certificate; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--client-ca-file",
                  options.tls_files.client_ca,
                  "who else may sign certificates of clients (PEM); read again when it changes")
      ->type_name("FILE");
  command
      .add_option("--http2-max-streams-per-connection",
                  options.http2_streams,
                  "requests and watches at once on one HTTP/2 connection")
      ->check(CLI::Range(uint32_t{1}, kHttp2StreamsMax))
      ->capture_default_str();
  command.add_flag("--disable-http2-serving", options.disable_http2_serving, "speak HTTP/1.1 only");
}

/// Which server this is like.
void AddReleaseOptions(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--emulate-release",
                  options.release,
                  "play a release from 1.26 to 1.37: its versions, rules and limits "
                  "(default: every version, newest rules)")
      ->type_name("RELEASE");
  command
      .add_option(
          "--feature-gates",
          options.feature_gates,
          "GATE=true,… as kube-apiserver's: gates that are not named are as the release has "
          "them by default. AllAlpha, AllBeta (default: all gates are on)")
      ->type_name("GATES");
  command
      .add_option("--runtime-config",
                  options.runtime_config,
                  "GROUP/VERSION[/RESOURCE]=false,… or api/alpha=false: what is not served")
      ->type_name("WHAT");
  command.add_flag("--allow-overlapping-allocations",
                   options.allow_overlapping_allocations,
                   "play upstream: let a status allocate a device that another claim has");
  command.add_flag("--watches-begin-at-start",
                   options.watches_begin_at_start,
                   "play upstream: a watch of what came before this start is answered 410");
}

/// Who is known, and who may do what.
void AddAccessOptions(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--token-file",
                  options.token_file,
                  "static bearer tokens, CSV lines token,user,uid,\"group1,group2\"")
      ->type_name("FILE");
  command.add_flag("--anonymous-auth",
                   options.anonymous,
                   "who shows no credentials is system:anonymous, who may read health and version "
                   "unless roles give more; =false refuses him (default: true)");
  command
      .add_option(
          "--authorization-mode",
          options.authorization,
          "RBAC: roles and bindings say who may do what; AlwaysAllow: everybody who is known "
          "may do everything")
      ->type_name("MODE")
      ->capture_default_str();
  command
      .add_option("--service-account-signing-key-file",
                  options.token_key_file,
                  "key (PEM, P-256 or RSA) that signs tokens of service accounts; servers that "
                  "share an etcd need the same (default: one in the data folder)")
      ->type_name("FILE");
  command
      .add_option("--service-account-issuer",
                  options.token_issuer,
                  "whom these tokens name as issuer (default: https://kubernetes.default.svc)")
      ->type_name("URL");
}

/// What is written about requests.
void AddAuditOptions(CLI::App& command, ServeOptions& options) {
  control_plane::AuditFiles& audit = options.audit;
  command
      .add_option("--audit-policy-file",
                  audit.policy,
                  "which requests are written about, and how much (audit.k8s.io/v1 Policy)")
      ->type_name("FILE");
  command.add_option("--audit-log-path", audit.log, "where to: JSON lines; - is standard output")
      ->type_name("FILE");
  command
      .add_option("--audit-log-maxsize",
                  audit.rotation.megabytes_max,
                  "megabytes of that file, before it is put aside under a name with the time")
      ->check(CLI::Range(uint64_t{1}, kAuditMegabytesMax))
      ->capture_default_str();
  command
      .add_option("--audit-log-maxbackup",
                  audit.rotation.backups_max,
                  "files put aside that are kept; 0: all")
      ->check(CLI::Range(uint64_t{0}, kAuditBackupsMax))
      ->capture_default_str();
  command
      .add_option(
          "--audit-log-maxage", audit.rotation.days_max, "days that they are kept; 0: for ever")
      ->check(CLI::Range(uint64_t{0}, kAuditDaysMax))
      ->capture_default_str();
}

void AddOptions(CLI::App& command, ServeOptions& options) {
  command
      .add_option(
          "--listen",
          options.listen,
          "ADDRESS:PORT; port 0 is any free one; 0.0.0.0 or [::] is every address of this machine")
      ->type_name("ADDRESS")
      ->capture_default_str();
  AddStoreChoice(command, options.store);
  command.add_flag("--memory",
                   options.store.memory,
                   "keep objects in memory; they are gone when the server stops");
  command
      .add_option("--components",
                  options.components,
                  "comma-separated: apiserver, scheduler, controllers, nodes (default: all)")
      ->type_name("NAMES");
  command
      .add_option("--nodes",
                  options.nodes,
                  fmt::format("COUNT simulated nodes of a profile; repeatable. Profiles: {}",
                              node::ProfileNames()))
      ->type_name("PROFILE=COUNT")
      ->allow_extra_args(false);
  command
      .add_option("--scheduler-config",
                  options.scheduler_config,
                  "KubeSchedulerConfiguration (YAML): names of profiles, timeouts of their "
                  "plugin DynamicResources, back-off")
      ->type_name("FILE");
  command.add_flag("--explain-events,!--no-explain-events",
                   options.explain_events,
                   "the scheduler says in an event of its own (DevicesUnavailable) why a pod gets "
                   "no devices (default: it does)");
  command
      .add_option("--etcd-compaction-interval",
                  options.compaction_interval,
                  "5m, 2s, …: how often states older than that are forgotten, in every store; 0 "
                  "is never (default: in etcd every 5m, else when the window is full)")
      ->type_name("DURATION");
  command
      .add_option("--max-requests-inflight",
                  options.requests_in_flight,
                  "reads under way at once; more are answered 429; 0 is no limit")
      ->capture_default_str();
  command
      .add_option("--max-mutating-requests-inflight",
                  options.mutating_requests_in_flight,
                  "the same of writes")
      ->capture_default_str();
  AddReleaseOptions(command, options);
  AddAccessOptions(command, options);
  AddAuditOptions(command, options);
  AddConnectionOptions(command, options);
  command.add_flag_callback(
      "-v,--verbose", [&options] { options.log_level = LogLevel::kDebug; }, "log more");
  command.add_flag_callback(
      "--log-json", [&options] { options.log_format = LogFormat::kJson; }, "log JSON lines");
}

/// By subject, as help shows them; the others stand first.
void GroupOptions(CLI::App& command) {
  struct Subject {
    const char* name;
    std::vector<const char*> options;
  };
  const Subject subjects[] = {{"Where objects are kept",
                               {"--data-dir",
                                "--memory",
                                "--etcd-servers",
                                "--etcd-cafile",
                                "--etcd-certfile",
                                "--etcd-keyfile",
                                "--etcd-compaction-interval"}},
                              {"What is played",
                               {"--emulate-release",
                                "--feature-gates",
                                "--runtime-config",
                                "--allow-overlapping-allocations",
                                "--watches-begin-at-start"}},
                              {"Who may do what",
                               {"--token-file",
                                "--client-ca-file",
                                "--anonymous-auth",
                                "--authorization-mode",
                                "--service-account-signing-key-file",
                                "--service-account-issuer"}},
                              {"What is written about requests",
                               {"--audit-policy-file",
                                "--audit-log-path",
                                "--audit-log-maxsize",
                                "--audit-log-maxbackup",
                                "--audit-log-maxage"}},
                              {"Connections",
                               {"--tls-cert-file",
                                "--tls-private-key-file",
                                "--tls-san",
                                "--max-requests-inflight",
                                "--max-mutating-requests-inflight",
                                "--http2-max-streams-per-connection",
                                "--disable-http2-serving"}}};
  for (const Subject& subject : subjects) {
    for (const char* option : subject.options) command.get_option(option)->group(subject.name);
  }
}

}  // namespace

Command AddServe(CLI::App& program) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* const command =
      program.add_subcommand("serve", "run API server, scheduler, controllers and simulated nodes");
  AddOptions(*command, *options);
  GroupOptions(*command);
  command->footer(
      "Example:\n  dray serve --nodes 8-gpu-server=4 &\n"
      "  kubectl --kubeconfig ~/.dray/kubeconfig get resourceslices");
  return {.app = command, .run = [options](World& world, const Output& output) {
            UseDefaultFolder(options->store);
            const Result<int> code = Serve(world, *options, output);
            if (code) return *code;
            output.Refuse("serve", code.error().message);
            return code.error().reason == StatusReason::kBadRequest ? kExitUsage : kExitNo;
          }};
}

}  // namespace dray::cli
