// SPDX-License-Identifier: Apache-2.0
#include "cli/kube_flags.h"

#include <cstdint>

#include <CLI/CLI.hpp>

namespace dray::cli {
namespace {

constexpr uint32_t kHttp2StreamsMax = 100'000;  // a stream is some 1 KiB of memory
constexpr uint64_t kAuditMegabytesMax = 1'000'000;
constexpr uint64_t kAuditBackupsMax = 100'000;
constexpr uint64_t kAuditDaysMax = 36'500;

/// What connections are like.
void AddConnectionFlags(CLI::App& command, ServeOptions& options) {
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
}

/// Which API this is.
void AddApiFlags(CLI::App& command, ServeOptions& options) {
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
}

/// Who is known, and who may do what.
void AddAccessFlags(CLI::App& command, ServeOptions& options) {
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
      .add_option("--enable-admission-plugins",
                  options.admission_plugins,
                  "NAME,… ServiceAccount: pods get the account that they name, or default, and a "
                  "volume with its token. Others that are built are always on")
      ->type_name("NAMES")
      ->delimiter(',');
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
void AddAuditFlags(CLI::App& command, ServeOptions& options) {
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

}  // namespace

void AddKubeFlags(CLI::App& command, ServeOptions& options) {
  command.add_option("--event-ttl", options.event_ttl, "how long events are kept: 10m, 1h0m0s, …")
      ->type_name("DURATION")
      ->capture_default_str();
  command
      .add_option("--etcd-compaction-interval",
                  options.compaction_interval,
                  "5m, 2s, …: how often states older than that are forgotten, in every store; 0 "
                  "is never (default: in etcd every 5m, else when the window is full)")
      ->type_name("DURATION");
  command.add_flag("--profiling",
                   options.profiling,
                   "answer /debug/pprof/profile?seconds=N with samples of what this process does, "
                   "for pprof");
  AddApiFlags(command, options);
  AddAccessFlags(command, options);
  AddAuditFlags(command, options);
  AddConnectionFlags(command, options);
}

}  // namespace dray::cli
