// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/ui.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/result.h"
#include "base/try.h"
#include "base/wakeup.h"
#include "cli/dashboard/bundle.h"
#include "cli/dashboard/cluster_proxy.h"
#include "cli/dashboard/served_files.h"
#include "cli/dashboard/ui_gate.h"
#include "cli/input/live_input.h"
#include "cli/serving/serve_options.h"
#include "cli/terminal/early_stop.h"
#include "cli/terminal/output.h"
#include "cli/terminal/stop_signals.h"
#include "net/server/http_server.h"
#include "net/url.h"

namespace dray::cli::inline serving {
namespace {

struct UiOptions {
  std::string kubeconfig, context;  // of the cluster; empty: kubectl's choice
  std::vector<std::string> files;   // instead of a cluster
  std::string listen = "127.0.0.1:0";
};

/// What is shown: a cluster or files. One of the two.
struct Shown {
  std::unique_ptr<ClusterProxy> cluster;
  std::unique_ptr<ServedFiles> files;
  std::string what;  // "the cluster https://…, as context lab of FILE"

  net::Handler& handler() const {
    return cluster != nullptr ? static_cast<net::Handler&>(*cluster) : files->handler();
  }
  const std::shared_ptr<const server::http::Pages>& pages() const {
    return cluster != nullptr ? cluster->pages() : files->pages();
  }
};

/// Ends the program if this still lives kEndsWithin after Begin(): a question may take longer than
/// the user waits, and there is nothing to lose.
class EndDeadline {
 public:
  EndDeadline() = default;
  ~EndDeadline() { over_.Wake(); }
  EndDeadline(const EndDeadline&) = delete;
  EndDeadline& operator=(const EndDeadline&) = delete;

  void Begin() {
    watcher_ = std::jthread([this] {
      if (!over_.WaitFor(kEndsWithin)) std::_Exit(kExitYes);
    });
  }

 private:
  Wakeup over_;
  std::jthread watcher_;
};

/// Errors: kBadRequest  it is no address of this machine alone.
Result<net::Endpoint> ListenAt(const std::string& address) {
  DRAY_TRY(net::Endpoint endpoint, ParseListen(address));
  if (endpoint.host == "127.0.0.1" || endpoint.host == "::1") return endpoint;
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("--listen {}: the page is for this machine only: 127.0.0.1:PORT, [::1]:PORT or "
                  "localhost:PORT; from another machine, `ssh -L PORT:127.0.0.1:PORT` leads there",
                  address));
}

Result<Shown> OpenCluster(World& world, const UiOptions& options) {
  const std::string file = options.kubeconfig.empty() ? UsualKubeconfig() : options.kubeconfig;
  const Result<client::ClusterAccess> access = AccessTo(world, file, options.context);
  if (!access) {
    return Fail(access.error().reason,
                fmt::format("{}; --kubeconfig and --context choose a cluster, -f shows files",
                            access.error().message));
  }
  Shown shown;
  auto cluster = ClusterProxy::Open(world, *access);
  if (!cluster) {
    return Fail(
        cluster.error().reason,
        fmt::format("{}: the cluster at {}: {}", file, access->server, cluster.error().message));
  }
  shown.cluster = *std::move(cluster);
  shown.what = fmt::format("the cluster at {}, with the rights of {}", access->server, file);
  if (!options.context.empty()) shown.what += fmt::format(" (context {})", options.context);
  return shown;
}

Result<Shown> OpenFiles(World& world,
                        const UiOptions& options,
                        const UiGate::Secrets& secrets,
                        const Output& output) {
  Shown shown;
  DRAY_TRY(shown.files, ServedFiles::Read(world, Log::Silent(), options.files, secrets.token));
  output.Notes(shown.files->notes());
  shown.what = fmt::format("{} objects of files", shown.files->objects());
  return shown;
}

/// Errors: bad options, unreadable input, no cluster, no port.
Result<int> RunUi(World& world, const UiOptions& options, const Output& output) {
  const StopSignals stop;  // before any thread exists
  EarlyStop early(stop);
  if (const std::string_view why = BundleOfBuild().why_none; !why.empty()) {
    return Fail(StatusReason::kBadRequest, fmt::format("this program has no dashboard: {}", why));
  }
  DRAY_TRY(const net::Endpoint listen, ListenAt(options.listen));
  const UiGate::Secrets secrets = UiGate::MakeSecrets(world.random);
  DRAY_TRY(const Shown shown,
           options.files.empty() ? OpenCluster(world, options)
                                 : OpenFiles(world, options, secrets, output));
  UiGate gate(shown.pages(), secrets, shown.handler());
  const Log log = Log::Silent();
  EndDeadline deadline;
  DRAY_TRY(const auto server,
           net::server::HttpServer::Start(world.clock,
                                          log,
                                          {.address = listen.host,
                                           .port = listen.port,
                                           .plain_http2 = false,
                                           .body_bytes_max = server::http::kBodyBytesMax},
                                          gate));
  gate.ListenOn(server->port());
  if (early.End()) return kExitYes;
  cli::Print(output.out,
             "http://{}/ui/#once={}\n"
             "Open this link in a browser of this machine; it works once. It shows {},\n"
             "and only reads. Ctrl-C ends it.\n",
             net::HostPort(net::Endpoint{.host = listen.host, .port = server->port()}),
             secrets.once,
             shown.what);
  (void)std::fflush(output.out);
  (void)stop.Wait();
  deadline.Begin();
  server->Shutdown(std::chrono::milliseconds(0));
  if (shown.cluster != nullptr) shown.cluster->Drain();
  if (shown.files != nullptr) shown.files->Drain();
  return kExitYes;
}

}  // namespace

void AddUi(Command& program) {
  const auto options = std::make_shared<UiOptions>();
  Command& command = program.Add("ui", "show the dashboard of any cluster, or of files");
  command.Text("--kubeconfig FILE",
               options->kubeconfig,
               "the cluster, and whose rights (default: those of kubectl)");
  command.Text(
      "--context NAME", options->context, "context of the kubeconfig (default: its current one)");
  command.Texts("-f, --filename PATH",
                options->files,
                "show the objects of files instead: file, folder or - (standard input); "
                "repeatable");
  command
      .Text(
          "--listen ADDRESS", options->listen, "loopback address and port; port 0 is any free one")
      .ShowsDefault();
  command.Notes(
      "Prints a link that works once: the browser that opens it first sees what the kubeconfig may "
      "read, and no other can. Nothing is written to the cluster: the page gets no way to, "
      "whatever "
      "the kubeconfig allows, and no Secrets. `dray serve` has the dashboard at /ui/ by itself.\n"
      "Exit codes: 0 ended by a signal, 1 the cluster or the port cannot be had, 2 bad options "
      "or unreadable input.\n"
      "Examples:\n"
      "  dray ui                                  # where kubectl asks\n"
      "  dray ui --kubeconfig lab.yaml --context admin\n"
      "  kubectl get nodes,pods,deviceclasses,resourceslices,resourceclaims \\\n"
      "               -A -o yaml >dump.yaml\n"
      "  dray ui -f dump.yaml");
  command.Does([options](World& world, const Output& output) -> Result<int> {
    const bool is_both =
        !options->files.empty() && !(options->kubeconfig.empty() && options->context.empty());
    if (is_both) {
      return Fail(StatusReason::kBadRequest,
                  "-f shows files and --kubeconfig or --context a cluster: name one of them");
    }
    Result<int> code = RunUi(world, *options, output);
    const bool is_outside = !code && (code.error().reason == StatusReason::kServiceUnavailable ||
                                      code.error().reason == StatusReason::kTimeout);
    if (!is_outside) return code;
    cli::Print(output.notes, "dray ui: {}\n", code.error().message);
    return kExitNo;
  });
}

}  // namespace dray::cli::inline serving
