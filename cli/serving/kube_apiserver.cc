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
constexpr IdleFlag kIdleFlags[] = {
    {"--allow-privileged", kTrueOrFalse, "pods may be privileged anyway"},
    {"--advertise-address",
     "ADDRESS",
     "the Service kubernetes names the address that is listened on"},
    {"--service-cluster-ip-range", "CIDR", "services get addresses of 10.0.0.0/12"},
    {"--service-node-port-range", "RANGE", "services get ports from 30000 to 32767"},
    {"--storage-backend", "NAME", "there is one form of etcd"},
    {"--storage-media-type", "TYPE", "there is one form of stored objects"},
    {"--endpoint-reconciler-type", "NAME", "servers do not write each other's endpoints"},
    {"--watch-cache", kTrueOrFalse, "watches need no cache of their own"},
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
  options.previews = server::registry::Previews::kAsUpstream;
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
