// SPDX-License-Identifier: Apache-2.0
// dray serve: API server, scheduler, controllers and simulated nodes in one process.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/command_line/command_text.h"
#include "cli/dashboard/bundle.h"
#include "cli/serving/kube_flags.h"
#include "cli/serving/run_server.h"
#include "cli/serving/serve_options.h"
#include "cli/serving/serving.h"
#include "cli/stores/store_choice_options.h"
#include "cli/terminal/output.h"
#include "node/profile.h"

namespace dray::cli::inline serving {
namespace {

/// What the option --ui does in this build.
std::string AboutDashboard() {
  const std::string_view why_none = BundleOfBuild().why_none;
  if (why_none.empty()) return "serve the dashboard at /ui/ (default: it is)";
  return fmt::format("the dashboard at /ui/, which this program does not have: {}", why_none);
}

/// Options of the emulated release.
void AddReleaseOptions(Command& command, ServeOptions& options) {
  command
      .Text("--emulate-release RELEASE",
            options.release,
            "play a release from 1.26 to 1.37: its versions, rules and limits "
            "(default: every version, newest rules)")
      .Suggests(ReleaseNames(api::Release::kFirst));
  command.Flag("--allow-overlapping-allocations",
               options.allow_overlapping_allocations,
               "play upstream: let a status allocate a device that another claim has");
  command.Flag("--watches-begin-at-start",
               options.watches_begin_at_start,
               "play upstream: a watch of what came before this start is answered 410");
}

void AddOptions(Command& command, ServeOptions& options) {
  command
      .Text(
          "--listen ADDRESS",
          options.listen,
          "ADDRESS:PORT; port 0 is any free one; 0.0.0.0 or [::] is every address of this machine")
      .ShowsDefault();
  AddStoreChoice(command, options.store);
  command.Flag("--memory",
               options.store.memory,
               "keep objects in memory; they are gone when the server stops");
  command.Texts("-f, --filename PATH",
                options.files,
                "file, folder or - (standard input) with objects to create at the start, "
                "definitions of custom kinds first; repeatable. Objects that are there stay");
  command.Text("--components NAMES",
               options.components,
               "comma-separated: apiserver, scheduler, controllers, nodes (default: all)");
  command.Texts("--nodes PROFILE=COUNT",
                options.nodes,
                fmt::format("COUNT simulated nodes of a profile; repeatable. Profiles: {}",
                            node::ProfileNames()));
  command
      .Text("--simulate WORD",
            options.simulate,
            "whose pods run: any node's that no agent keeps alive (seen by its Lease or "
            "heartbeats), own for those of --nodes, none")
      .OneOf({"any", "own", "none"})
      .ShowsDefault();
  command.Text("--scheduler-config FILE",
               options.scheduler_config,
               "KubeSchedulerConfiguration (YAML): names of profiles, timeouts of their "
               "plugin DynamicResources, back-off");
  command.Flag("--explain-events, !--no-explain-events",
               options.explain_events,
               "the scheduler says in an event of its own (DevicesUnavailable) why a pod gets "
               "no devices (default: it does)");
  command.Flag("--ui, !--no-ui", options.ui, AboutDashboard());
  command.Flag("--state-metrics",
               options.state_metrics,
               "/metrics has a series for each claim, slice and device too, by the names of "
               "kube-state-metrics (default: it has not)");
  AddReleaseOptions(command, options);
  command.Text("--token-file FILE",
               options.token_file,
               "static bearer tokens, CSV lines token,user,uid,\"group1,group2\"");
  AddKubeFlags(command, options);
  command.Texts("--tls-san NAME",
                options.tls_names,
                "a further name or address in the server's own certificate; repeatable");
  command.Flag("-v, --verbose", [&options] { options.log_level = LogLevel::kDebug; }, "log more");
  command.Flag(
      "--log-json", [&options] { options.log_format = LogFormat::kJson; }, "log JSON lines");
}

/// Groups options by subject for help; the others come first.
void GroupOptions(Command& command) {
  struct Subject {
    const char* name;
    std::vector<std::string> options;
  };
  const Subject subjects[] = {{"Where objects are kept",
                               {"--filename",
                                "--data-dir",
                                "--memory",
                                "--etcd-servers",
                                "--etcd-cafile",
                                "--etcd-certfile",
                                "--etcd-keyfile",
                                "--event-ttl",
                                "--etcd-compaction-interval",
                                "--leader-elect-lease-duration"}},
                              {"What is played",
                               {"--emulate-release",
                                "--feature-gates",
                                "--runtime-config",
                                "--allow-overlapping-allocations",
                                "--watches-begin-at-start"}},
                              {"Access control",
                               {"--token-file",
                                "--client-ca-file",
                                "--anonymous-auth",
                                "--authorization-mode",
                                "--enable-admission-plugins",
                                "--disable-admission-plugins",
                                "--service-account-signing-key-file",
                                "--service-account-issuer",
                                "--service-account-max-token-expiration"}},
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
    command.Group(subject.name, subject.options);
  }
}

}  // namespace

void AddServe(Command& program) {
  const auto options = std::make_shared<ServeOptions>();
  Command& command =
      program.Add("serve", "run API server, scheduler, controllers and simulated nodes");
  AddOptions(command, *options);
  GroupOptions(command);
  command.Notes(
      "Example:\n  dray serve --nodes 8-gpu-server=4 &\n"
      "  kubectl --kubeconfig ~/.dray/kubeconfig get resourceslices");
  command.Does([options](World& world, const Output& output) {
    UseDefaultFolder(options->store);
    return RunServer(world, *options, output, "dray serve");
  });
}

}  // namespace dray::cli::inline serving
