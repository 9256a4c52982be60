// SPDX-License-Identifier: Apache-2.0
// dray serve: API server, scheduler, controllers and simulated nodes in one process.
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/log.h"
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/kube_flags.h"
#include "cli/output.h"
#include "cli/run_server.h"
#include "cli/serve_options.h"
#include "cli/store_choice_options.h"
#include "node/profile.h"

namespace dray::cli {
namespace {

/// Which server this is like.
void AddReleaseOptions(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--emulate-release",
                  options.release,
                  "play a release from 1.26 to 1.37: its versions, rules and limits "
                  "(default: every version, newest rules)")
      ->type_name(ReleaseType(api::Release::kFirst));
  command.add_flag("--allow-overlapping-allocations",
                   options.allow_overlapping_allocations,
                   "play upstream: let a status allocate a device that another claim has");
  command.add_flag("--watches-begin-at-start",
                   options.watches_begin_at_start,
                   "play upstream: a watch of what came before this start is answered 410");
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
      .add_option("--simulate",
                  options.simulate,
                  "whose pods run: any node's that no agent keeps alive (seen by its Lease or "
                  "heartbeats), own for those of --nodes, none")
      ->check(CLI::IsMember({"any", "own", "none"}))
      ->type_name("WORD")
      ->capture_default_str();
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
  AddReleaseOptions(command, options);
  command
      .add_option("--token-file",
                  options.token_file,
                  "static bearer tokens, CSV lines token,user,uid,\"group1,group2\"")
      ->type_name("FILE");
  AddKubeFlags(command, options);
  command
      .add_option("--tls-san",
                  options.tls_names,
                  "a further name or address in the server's own certificate; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
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
                                "--event-ttl",
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
                                "--enable-admission-plugins",
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
            return RunServer(world, *options, output, "dray serve");
          }};
}

}  // namespace dray::cli
