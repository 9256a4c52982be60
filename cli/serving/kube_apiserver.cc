// SPDX-License-Identifier: Apache-2.0
// The program named kube-apiserver: the API server of `dray serve` alone, with kube-apiserver's
// flags, for tools such as envtest that start one themselves.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/serving/etcd_stand_in.h"
#include "cli/serving/kube_flags.h"
#include "cli/serving/run_server.h"
#include "cli/serving/serve_options.h"
#include "cli/serving/serving.h"
#include "cli/stores/store_choice_options.h"
#include "cli/terminal/output.h"
#include "net/tls/token_key.h"
#include "net/url.h"

namespace dray::cli::inline serving {
namespace {

constexpr int kDebugVerbosity = 2;  // of klog: requests are logged from here on

constexpr std::string_view kTrueOrFalse = "true|false";

/// A flag that is accepted without effect.
struct IdleFlag {
  const char* name;
  std::string_view value;
  const char* because;
};

// What the flags without effect are about.
constexpr const char* kNoWatchCache = "watches need no cache of their own";
constexpr const char* kNoKubelets = "kubelets are not called";
constexpr const char* kNoServersBeside = "servers do not call each other";
constexpr const char* kOwnLog = "the log has one form, and levels by --v only";
constexpr const char* kOwnMetrics = "all metrics are shown";
constexpr const char* kOwnTimes = "Dray has its own times for this";
constexpr const char* kOwnTls = "versions and suites of TLS are Dray's own";
constexpr const char* kNoFlowControl = "flow schemas are kept, and nothing acts on them";
constexpr const char* kAuditAtOnce = "the audit log is written at once, as JSON of audit.k8s.io/v1";

constexpr IdleFlag kIdleFlags[] = {
    {"--allow-privileged", kTrueOrFalse, "pods may be privileged anyway"},
    {"--advertise-address",
     "ADDRESS",
     "the Service kubernetes names the address that is listened on"},
    {"--external-hostname", "NAME", "the Service kubernetes names the address that is listened on"},
    {"--service-cluster-ip-range", "CIDR", "services get addresses of 10.0.0.0/12"},
    {"--service-node-port-range", "RANGE", "services get ports from 30000 to 32767"},
    {"--storage-backend", "NAME", "there is one form of etcd"},
    {"--storage-media-type", "TYPE", "there is one form of stored objects"},
    {"--storage-initialization-timeout", "DURATION", kOwnTimes},
    {"--endpoint-reconciler-type", "NAME", "servers do not write each other's endpoints"},
    {"--apiserver-count", "NUMBER", "servers do not write each other's endpoints"},
    {"--peer-advertise-ip", "ADDRESS", kNoServersBeside},
    {"--peer-advertise-port", "NUMBER", kNoServersBeside},
    {"--peer-ca-file", "FILE", kNoServersBeside},
    {"--watch-cache", kTrueOrFalse, kNoWatchCache},
    {"--watch-cache-sizes", "WHAT", kNoWatchCache},
    {"--default-watch-cache-size", "NUMBER", kNoWatchCache},
    {"--delete-collection-workers", "NUMBER", "collections are deleted without workers"},
    {"--enable-garbage-collector", kTrueOrFalse, "finalizers of deletions are set anyway"},
    {"--enable-priority-and-fairness", kTrueOrFalse, kNoFlowControl},
    {"--enable-aggregator-routing", kTrueOrFalse, "services are reached by their endpoints"},
    {"--aggregator-reject-forwarding-redirect", kTrueOrFalse, "redirects are not followed"},
    {"--proxy-client-cert-file", "FILE", "other API servers are shown no certificate"},
    {"--proxy-client-key-file", "FILE", "other API servers are shown no certificate"},
    {"--kubelet-certificate-authority", "FILE", kNoKubelets},
    {"--kubelet-client-certificate", "FILE", kNoKubelets},
    {"--kubelet-client-key", "FILE", kNoKubelets},
    {"--kubelet-preferred-address-types", "TYPES", kNoKubelets},
    {"--kubelet-timeout", "DURATION", kNoKubelets},
    {"--etcd-count-metric-poll-period", "DURATION", kOwnMetrics},
    {"--etcd-db-metric-poll-interval", "DURATION", kOwnMetrics},
    {"--etcd-healthcheck-timeout", "DURATION", kOwnTimes},
    {"--etcd-readycheck-timeout", "DURATION", kOwnTimes},
    {"--lease-reuse-duration-seconds", "NUMBER", kOwnTimes},
    {"--goaway-chance", "NUMBER", "clients keep their connections"},
    {"--permit-address-sharing", kTrueOrFalse, "an address belongs to one server"},
    {"--permit-port-sharing", kTrueOrFalse, "an address belongs to one server"},
    {"--max-connection-bytes-per-sec", "NUMBER", "connections have no such limit"},
    {"--min-request-timeout", "NUMBER", kOwnTimes},
    {"--request-timeout", "DURATION", kOwnTimes},
    {"--livez-grace-period", "DURATION", kOwnTimes},
    {"--shutdown-delay-duration", "DURATION", kOwnTimes},
    {"--shutdown-send-retry-after", kTrueOrFalse, kOwnTimes},
    {"--shutdown-watch-termination-grace-period", "DURATION", kOwnTimes},
    {"--tls-cipher-suites", "NAMES", kOwnTls},
    {"--tls-curve-preferences", "NAMES", kOwnTls},
    {"--tls-min-version", "VERSION", kOwnTls},
    {"--strict-transport-security-directives", "WORDS", kOwnTls},
    {"--service-account-lookup", kTrueOrFalse, "accounts and tokens are looked up anyway"},
    {"--service-account-extend-token-expiration",
     kTrueOrFalse,
     "tokens end when they were asked to"},
    {"--audit-log-format", "NAME", kAuditAtOnce},
    {"--audit-log-version", "NAME", kAuditAtOnce},
    {"--audit-log-mode", "NAME", kAuditAtOnce},
    {"--audit-log-compress", kTrueOrFalse, kAuditAtOnce},
    {"--logging-format", "NAME", kOwnLog},
    {"--vmodule", "LEVELS", kOwnLog},
    {"--log-flush-frequency", "DURATION", kOwnLog},
    {"--show-hidden-metrics-for-version", "VERSION", kOwnMetrics},
    {"--disabled-metrics", "NAMES", kOwnMetrics},
    {"--allow-metric-labels", "LABELS", kOwnMetrics},
    {"--allow-metric-labels-manifest", "FILE", kOwnMetrics},
    {"--contention-profiling", kTrueOrFalse, "locks are not profiled"},
    {"--debug-socket-path", "PATH", "profiles are read over the API's address"},
    {"--enable-logs-handler", kTrueOrFalse, "there are no logs to read"},
    {"--tracing-config-file", "FILE", "requests are not traced"},
    {"--emulation-forward-compatible", kTrueOrFalse, "a played release is played exactly"},
    {"--runtime-config-emulation-forward-compatible",
     kTrueOrFalse,
     "a played release is played exactly"},
    {"--min-compatibility-version", "VERSION", "stored objects are read by every version"},
};

struct ApiserverOptions {
  ServeOptions serve;
  std::string bind_address = "127.0.0.1";
  uint16_t secure_port = 6443;
  std::string cert_folder = "/var/run/kubernetes";
  std::vector<std::string> key_files;  // of tokens
  std::string emulated_version;
  int verbosity = 0;
};

void AddOptions(Command& command, ApiserverOptions& options) {
  command.Text("--bind-address ADDRESS", options.bind_address, "where to listen").ShowsDefault();
  command.Number("--secure-port", options.secure_port, "0 is any free one").ShowsDefault();
  command
      .Text("--cert-dir FOLDER",
            options.cert_folder,
            "apiserver.crt and apiserver.key are shown, if they are there; what else a server "
            "needs is made in it")
      .ShowsDefault();
  AddEtcdChoice(command, options.serve.store);
  command.Text("--token-auth-file FILE",
               options.serve.token_file,
               "static bearer tokens, CSV lines token,user,uid,\"group1,group2\"");
  command.Texts("--service-account-key-file FILE",
                options.key_files,
                "key that tokens are checked by (PEM); it must be that of "
                "--service-account-signing-key-file");
  command.Text("--emulated-version VERSION",
               options.emulated_version,
               "play a release from 1.30 to 1.37: 1.34 or kube=1.34");
  AddKubeFlags(command, options.serve);
  command.Number("-v, --v NUMBER", options.verbosity, "2 and more: log every request");
  for (const IdleFlag& flag : kIdleFlags) {
    const auto pass_over = [&options, &flag](const std::string& value) {
      options.serve.passed_over.push_back(
          {.flag = fmt::format("{}={}", flag.name, value), .because = flag.because});
    };
    Option& option = command
                         .Text(fmt::format("{} {}", flag.name, flag.value),
                               pass_over,
                               fmt::format("passed over: {}", flag.because))
                         .InGroup("Taken, without effect");
    if (flag.value == kTrueOrFalse) option.MayStandAlone("true");
  }
}

/// Errors: kBadRequest  a key to check tokens differs from the one that signs them. Those of the
/// disk.
Result<> CheckTokenKeys(Disk& disk, const ApiserverOptions& options) {
  for (const std::string& file : options.key_files) {
    const std::string& signing = options.serve.token_key_file;
    if (signing.empty()) {
      return Fail(StatusReason::kBadRequest,
                  "--service-account-key-file needs --service-account-signing-key-file");
    }
    DRAY_TRY(const std::string pem, disk.Read(file));
    DRAY_TRY(const std::string signing_pem, disk.Read(signing));
    const auto id = net::tls::TokenKeyId(pem);
    const auto signing_id = net::tls::TokenKeyId(signing_pem);
    if (!id || !signing_id) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format(
              "{}: {}", id ? signing : file, id ? signing_id.error().message : id.error().message));
    }
    if (*id == *signing_id) continue;
    return Fail(StatusReason::kBadRequest,
                fmt::format("--service-account-key-file {}: tokens are checked by the key of "
                            "--service-account-signing-key-file only",
                            file));
  }
  return {};
}

/// Translates kube-apiserver's flags to those of `dray serve`. Errors: those of CheckTokenKeys.
Result<ServeOptions> ServeOptionsOf(World& world, const ApiserverOptions& given) {
  DRAY_TRY_VOID(CheckTokenKeys(world.disk, given));
  ServeOptions options = given.serve;
  const bool is_v6 = given.bind_address.find(':') != std::string::npos;
  options.listen =
      fmt::format(fmt::runtime(is_v6 ? "[{}]:{}" : "{}:{}"), given.bind_address, given.secure_port);
  options.components = "apiserver";
  options.ui = false;
  options.previews = server::registry::Previews::kAsUpstream;
  options.leaves_accounts_to_others = true;
  options.allow_overlapping_allocations = true;
  options.store.data_folder = given.cert_folder;
  if (given.verbosity >= kDebugVerbosity) options.log_level = LogLevel::kDebug;
  options.release = given.emulated_version.starts_with("kube=") ? given.emulated_version.substr(5)
                                                                : given.emulated_version;
  if (options.tls_files.certificate.empty() && options.tls_files.key.empty()) {
    const std::string certificate = given.cert_folder + "/apiserver.crt";
    if (world.disk.Read(certificate)) {
      options.tls_files.certificate = certificate;
      options.tls_files.key = given.cert_folder + "/apiserver.key";
    }
  }
  if (options.store.etcd_servers.empty()) {
    return Fail(StatusReason::kBadRequest, "--etcd-servers must be given");
  }
  if (IsEtcdStandIn(world.clock, options.store.etcd_servers)) {
    options.store.etcd_servers.clear();
    options.store.memory = true;
  }
  return options;
}

}  // namespace

void AddKubeApiserver(Command& program) {
  const auto options = std::make_shared<ApiserverOptions>();
  AddOptions(program, *options);
  program.Notes(
      "dray under this name is its API server alone, for programs that start a\n"
      "kube-apiserver themselves: docs/envtest.md.");
  program.Does([options](World& world, const Output& output) {
    const Result<ServeOptions> serve = ServeOptionsOf(world, *options);
    if (serve) return RunServer(world, *serve, output, "kube-apiserver");
    cli::Print(output.notes, "kube-apiserver: {}\n", serve.error().message);
    return serve.error().reason == StatusReason::kBadRequest ? kExitUsage : kExitNo;
  });
}

}  // namespace dray::cli::inline serving
