// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/serve_options.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/release.h"
#include "api/value/time.h"
#include "base/try.h"
#include "cli/command_line/mistakes.h"
#include "cli/dashboard/dashboard.h"
#include "net/url.h"
#include "node/profile.h"
#include "node/simulated_nodes.h"
#include "planning/cluster/unfit_line.h"
#include "scheduler/configuration/configuration.h"
#include "server/registry/served_kinds.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/tokens/tokens.h"

namespace dray::cli::inline serving {
namespace {

using SimulatedGroup = node::NodeGroup;

constexpr size_t kSimulatedNodesMax = 100'000;
constexpr std::chrono::milliseconds kCompactionIntervalMin{100};
constexpr std::chrono::hours kCompactionIntervalMax{8760};
constexpr std::chrono::seconds kLeaseDurationMin{1};
constexpr std::chrono::hours kLeaseDurationMax{1};
constexpr std::chrono::seconds kEventTtlMin{1};
constexpr std::chrono::hours kEventTtlMax{8760};
constexpr std::string_view kComponents[] = {"apiserver", "scheduler", "controllers", "nodes"};

/// Splits a comma-separated list. An empty list has one empty name; a comma at the end adds none.
std::vector<std::string> NamesIn(const std::string& list) {
  std::vector<std::string> names;
  size_t at = 0;
  do {
    const size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  } while (at < list.size());
  return names;
}

/// Errors: kBadRequest  a name is no component, or the API server is missing.
Result<std::vector<std::string>> ParseComponents(const std::string& text) {
  std::vector<std::string> names = NamesIn(text);
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

/// Other machines may be served only with RBAC, and extra names need certificates of our own.
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

/// The emulation that the options choose. Errors: kBadRequest, with the option's name.
Result<server::registry::Emulation> EmulationOf(const ServeOptions& options) {
  const auto refuse = [](std::string_view option, const Error& error) {
    return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", option, error.message));
  };
  server::registry::Emulation emulation{.runtime_config = options.runtime_config,
                                        .previews = options.previews};
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
Result<SimulatedGroup> ParseNodes(const std::string& text) {
  const size_t equals = text.find('=');
  SimulatedGroup group{.profile = text.substr(0, equals)};
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

/// Precondition: a valid word of the option.
node::Simulate SimulateOf(std::string_view word) {
  if (word == "any") return node::Simulate::kAny;
  return word == "own" ? node::Simulate::kOwn : node::Simulate::kNone;
}

/// Whether RBAC decides. Errors: kBadRequest  an unknown mode.
Result<bool> ParseAuthorization(const std::string& modes) {
  bool is_rbac = false;
  bool is_open = false;
  for (const std::string& mode : NamesIn(modes)) {
    is_rbac = is_rbac || mode == "RBAC";
    is_open = is_open || mode == "AlwaysAllow";
    // RBAC roles cover the Node authorizer's rights.
    if (mode == "RBAC" || mode == "AlwaysAllow" || mode == "Node") continue;
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("--authorization-mode: \"{}\" is none of RBAC, Node, AlwaysAllow", mode));
  }
  if (is_rbac || is_open) return !is_open;
  return Fail(StatusReason::kBadRequest,
              "--authorization-mode: RBAC or AlwaysAllow must be one of them");
}

/// A duration in Go's syntax. Errors: kBadRequest, with the option's name.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view option, const std::string& text) {
  const Result<api::Duration> duration = api::Duration::Parse(text);
  if (duration) return std::chrono::nanoseconds(duration->nanos());
  return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", option, duration.error().message));
}

/// Errors: kBadRequest, with the option's name: no duration, or out of bounds.
Result<std::chrono::nanoseconds> ParseCompactionInterval(const std::string& text) {
  DRAY_TRY(const auto interval, ParseDuration("--etcd-compaction-interval", text));
  const bool is_in_bounds =
      interval >= kCompactionIntervalMin && interval <= kCompactionIntervalMax;
  if (interval.count() == 0 || is_in_bounds) return interval;
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("--etcd-compaction-interval: {} is neither 0 nor from 100ms to 8760h", text));
}

/// Errors: kBadRequest, with the option's name: no duration, or none that a Lease can have.
Result<std::chrono::seconds> ParseLeaseDuration(const std::string& text) {
  DRAY_TRY(const auto duration, ParseDuration("--leader-elect-lease-duration", text));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  if (seconds == duration && seconds >= kLeaseDurationMin && seconds <= kLeaseDurationMax) {
    return seconds;
  }
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("--leader-elect-lease-duration: {} is not from 1s to 1h, in whole seconds",
                  text));
}

/// Errors: kBadRequest, with the option's name: no duration, or out of bounds.
Result<std::chrono::nanoseconds> ParseEventTtl(const std::string& text) {
  DRAY_TRY(const auto ttl, ParseDuration("--event-ttl", text));
  if (ttl >= kEventTtlMin && ttl <= kEventTtlMax) return ttl;
  return Fail(StatusReason::kBadRequest,
              fmt::format("--event-ttl: {} is not from 1s to 8760h", text));
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

/// Adds ServiceAccount to the usual plugins if controllers run, because they create the accounts
/// that it needs. Otherwise adds the plugins whose taints and finalizers a controller elsewhere can
/// remove. Errors: those of PluginSet::Changed.
Result<server::verbs::admission::PluginSet> PluginsOf(const ServeOptions& options,
                                                      bool has_controllers) {
  namespace admission = server::verbs::admission;
  admission::PluginSet usual = admission::PluginSet::Usual();
  if (!has_controllers) {
    usual = usual.With(admission::kTaintNodesPlugin)
                .With(admission::kStorageProtectionPlugin)
                .With(admission::kPodGroupProtectionPlugin);
  }
  if (has_controllers || options.leaves_accounts_to_others) {
    usual = usual.With(admission::kServiceAccountPlugin);
  }
  return usual.Changed(options.admission_plugins, options.disabled_admission_plugins);
}

/// In seconds; 0: no limit.
Result<int64_t> ParseTokenMax(const std::string& text) {
  using server::verbs::kTokenSecondsCapMin;
  using server::verbs::kTokenSecondsMax;
  if (text.empty()) return 0;
  DRAY_TRY(const auto duration, ParseDuration("--service-account-max-token-expiration", text));
  const int64_t seconds = std::chrono::floor<std::chrono::seconds>(duration).count();
  if (seconds == 0 || (seconds >= kTokenSecondsCapMin && seconds <= kTokenSecondsMax)) {
    return seconds;
  }
  return Fail(StatusReason::kBadRequest,
              "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
}

}  // namespace

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
      .profiling = options.profiling,
      .state_metrics = options.state_metrics,
      .audit = options.audit,
      .watches_begin_at_start = options.watches_begin_at_start};
  if (options.explain_events) {
    process.explain = [&world](const auto& pod) { return planning::LineAbout(world, pod); };
  }
  for (const std::string& text : options.nodes) {
    DRAY_TRY(SimulatedGroup group, ParseNodes(text));
    process.simulated.publish.groups.push_back(std::move(group));
  }
  process.simulated.simulate = SimulateOf(options.simulate);
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
  DRAY_TRY(process.event_life, ParseEventTtl(options.event_ttl));
  DRAY_TRY(process.lease_duration, ParseLeaseDuration(options.lease_duration));
  DRAY_TRY(process.rbac, ParseAuthorization(options.authorization));
  DRAY_TRY(process.plugins, PluginsOf(options, process.controllers));
  process.makes_accounts = !options.leaves_accounts_to_others;
  DRAY_TRY(process.token_seconds_max, ParseTokenMax(options.token_max_expiration));
  DRAY_TRY(process.listen, ParseListen(options.listen));
  DRAY_TRY_VOID(CheckReach(options, process));
  DRAY_TRY(process.emulation, EmulationOf(options));
  if (options.ui) process.pages = MakeDashboard(world, process.emulation);
  DRAY_TRY(process.scheduling, SchedulingOf(world.disk, options.scheduler_config));
  return process;
}

}  // namespace dray::cli::inline serving
