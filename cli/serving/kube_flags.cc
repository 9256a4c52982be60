// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/kube_flags.h"

#include <cstdint>

namespace dray::cli::inline serving {
namespace {

constexpr uint32_t kHttp2StreamsMax = 100'000;  // a stream is some 1 KiB of memory
constexpr uint64_t kAuditMegabytesMax = 1'000'000;
constexpr uint64_t kAuditBackupsMax = 100'000;
constexpr uint64_t kAuditDaysMax = 36'500;

/// Flags of connections.
void AddConnectionFlags(Command& command, ServeOptions& options) {
  command.Text("--tls-cert-file FILE",
               options.tls_files.certificate,
               "certificate to show (PEM, leaf first) instead of the server's own; read again "
               "when it changes");
  command.Text(
      "--tls-private-key-file FILE", options.tls_files.key, "the key of that certificate (PEM)");
  command.Text("--client-ca-file FILE",
               options.tls_files.client_ca,
               "who else may sign certificates of clients (PEM); read again when it changes");
  command
      .Number("--http2-max-streams-per-connection",
              options.http2_streams,
              "requests and watches at once on one HTTP/2 connection")
      .Between(1, kHttp2StreamsMax)
      .ShowsDefault();
  command.Flag("--disable-http2-serving", options.disable_http2_serving, "speak HTTP/1.1 only");
  command
      .Number("--max-requests-inflight",
              options.requests_in_flight,
              "reads under way at once; more are answered 429; 0 is no limit")
      .ShowsDefault();
  command
      .Number("--max-mutating-requests-inflight",
              options.mutating_requests_in_flight,
              "the same of writes")
      .ShowsDefault();
}

/// Flags that choose the API.
void AddApiFlags(Command& command, ServeOptions& options) {
  command.Text("--feature-gates GATES",
               options.feature_gates,
               "GATE=true,… as kube-apiserver's: gates that are not named are as the release has "
               "them by default. AllAlpha, AllBeta (default: all gates are on)");
  command.Text(
      "--runtime-config WHAT",
      options.runtime_config,
      "GROUP/VERSION[/RESOURCE]=false,… or api/alpha=false: what is served (=true), and what "
      "is not");
}

/// Flags of authentication and authorization.
void AddAccessFlags(Command& command, ServeOptions& options) {
  command.Flag("--anonymous-auth",
               options.anonymous,
               "who shows no credentials is system:anonymous, who may read health and version "
               "unless roles give more; =false refuses him (default: true)");
  command
      .Text("--authorization-mode MODE",
            options.authorization,
            "RBAC: roles and bindings decide who may do what; AlwaysAllow: every known user "
            "may do everything")
      .ShowsDefault();
  command.List("--enable-admission-plugins NAMES",
               options.admission_plugins,
               "NAME,… plugins of kube-apiserver to switch on besides those that it has on by "
               "default, and NodeRestriction; ServiceAccount is on by default where controllers "
               "run, TaintNodesByCondition where they do not");
  command.List("--disable-admission-plugins NAMES",
               options.disabled_admission_plugins,
               "NAME,… plugins to switch off; without ServiceAccount, pods keep the account that "
               "they name, which need not be there, and get no token");
  command.Text("--service-account-signing-key-file FILE",
               options.token_key_file,
               "key (PEM, P-256 or RSA) that signs tokens of service accounts; servers that "
               "share an etcd need the same (default: one in the data folder)");
  command.Text("--service-account-issuer URL",
               options.token_issuer,
               "whom these tokens name as issuer (default: https://kubernetes.default.svc)");
  command.Text("--service-account-max-token-expiration DURATION",
               options.token_max_expiration,
               "how long these tokens are good at most, from 1h on: what is asked for beyond it is "
               "shortened (default: as long as is asked for)");
}

/// Flags of the audit log.
void AddAuditFlags(Command& command, ServeOptions& options) {
  control_plane::AuditFiles& audit = options.audit;
  command.Text("--audit-policy-file FILE",
               audit.policy,
               "which requests are written about, and how much (audit.k8s.io/v1 Policy)");
  command.Text("--audit-log-path FILE", audit.log, "where to: JSON lines; - is standard output");
  command
      .Number("--audit-log-maxsize",
              audit.rotation.megabytes_max,
              "megabytes of that file, before it is put aside under a name with the time")
      .Between(1, kAuditMegabytesMax)
      .ShowsDefault();
  command
      .Number("--audit-log-maxbackup",
              audit.rotation.backups_max,
              "files put aside that are kept; 0: all")
      .Between(0, kAuditBackupsMax)
      .ShowsDefault();
  command
      .Number("--audit-log-maxage", audit.rotation.days_max, "days that they are kept; 0: for ever")
      .Between(0, kAuditDaysMax)
      .ShowsDefault();
}

}  // namespace

void AddKubeFlags(Command& command, ServeOptions& options) {
  command
      .Text("--event-ttl DURATION", options.event_ttl, "how long events are kept: 10m, 1h0m0s, …")
      .ShowsDefault();
  command.Text("--etcd-compaction-interval DURATION",
               options.compaction_interval,
               "5m, 2s, …: how often states older than that are forgotten, in every store; 0 "
               "is never (default: in etcd every 5m, else when the window is full)");
  command
      .Text("--leader-elect-lease-duration DURATION",
            options.lease_duration,
            "with --etcd-servers: how long after the death of the server that schedules another "
            "one does; one second needs an etcd that always answers sooner")
      .ShowsDefault();
  command.Flag("--profiling",
               options.profiling,
               "answer /debug/pprof/profile?seconds=N with samples of what this process does, "
               "for pprof");
  AddApiFlags(command, options);
  AddAccessFlags(command, options);
  AddAuditFlags(command, options);
  AddConnectionFlags(command, options);
}

}  // namespace dray::cli::inline serving
