// SPDX-License-Identifier: Apache-2.0
// The program dray: one command, its verbs, and the help that teaches them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/world.h"
#include "cli/allocate.h"
#include "cli/cel.h"
#include "cli/convert.h"
#include "cli/serve.h"
#include "cli/store.h"
#include "cli/validate.h"
#include "cli/version.h"
#include "control_plane/store_choice.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr int kUsageError = 2;

// Which store a command works on; the names are kube-apiserver's.
void AddStoreChoice(CLI::App& command, control_plane::StoreChoice& choice) {
  command.add_option("--data-dir",
                     choice.data_folder,
                     "folder of the store, certificates and kubeconfig (default: ~/.dray)");
  command
      .add_option("--etcd-servers",
                  choice.etcd_servers,
                  "keep objects in etcd: URLs of its members, comma-separated")
      ->delimiter(',');
  command.add_option("--etcd-cafile", choice.etcd_ca_file, "who signed etcd's certificate (PEM)");
  command.add_option("--etcd-certfile", choice.etcd_certificate_file, "our certificate for etcd");
  command.add_option("--etcd-keyfile", choice.etcd_key_file, "the key of that certificate");
}

void AddServe(CLI::App& app,
              cli::ServeOptions& options,
              std::vector<std::string>& nodes,
              std::string& components) {
  CLI::App* serve =
      app.add_subcommand("serve", "run API server, scheduler, controllers and simulated nodes");
  serve
      ->add_option(
          "--listen", options.listen, "address:port; port 0 is any free one; loopback only")
      ->capture_default_str();
  AddStoreChoice(*serve, options.store);
  serve->add_flag("--memory",
                  options.store.memory,
                  "keep objects in memory; they are gone when the server stops");
  serve->add_option("--components",
                    components,
                    "comma-separated: apiserver, scheduler, controllers, nodes (default: all)");
  serve->add_option("--nodes", nodes, "PROFILE=COUNT simulated nodes, repeatable")
      ->allow_extra_args(false);
  serve->add_option("--emulate-release",
                    options.release,
                    "play 1.30, 1.31, 1.32, 1.34, 1.36 or 1.37: its versions, rules and limits "
                    "(default: every version, newest rules)");
  serve->add_option("--feature-gates",
                    options.feature_gates,
                    "GATE=false,… switches DRA features off; all that the release has are on");
  serve->add_option("--runtime-config",
                    options.runtime_config,
                    "GROUP/VERSION[/RESOURCE]=false,… or api/alpha=false: what is not served");
  serve->add_option("--token-file",
                    options.token_file,
                    "static bearer tokens, CSV lines token,user,uid,\"group1,group2\"");
  serve->add_flag_callback(
      "-v,--verbose", [&options] { options.log_level = LogLevel::kDebug; }, "log more");
  serve->add_flag_callback(
      "--log-json", [&options] { options.log_format = LogFormat::kJson; }, "log JSON lines");
  serve->footer(
      "Example:\n  dray serve --nodes 8-gpu-server=4 &\n"
      "  kubectl --kubeconfig ~/.dray/kubeconfig get resourceslices");
}

void AddAllocate(CLI::App& app, cli::AllocateOptions& options, std::string& output) {
  CLI::App* allocate =
      app.add_subcommand("allocate", "who would get which devices, from manifests alone");
  allocate
      ->add_option("-f,--filename", options.paths, "file, folder or - (standard input); repeatable")
      ->required()
      ->allow_extra_args(false);
  CLI::Option* node = allocate->add_option("--node", options.node, "look at this node only");
  allocate
      ->add_flag(
          "--all-nodes", options.each_node, "an answer for each node, not the first that fits")
      ->excludes(node);
  CLI::Option* name_space = allocate->add_option(
      "-n,--namespace",
      options.name_space,
      "decide about pods and claims of this namespace only; also of objects that name none");
  allocate
      ->add_flag_callback(
          "-A,--all-namespaces", [] {}, "decide about pods and claims of all of them (default)")
      ->excludes(name_space);
  allocate
      ->add_option(
          "--profile",
          options.profile,
          "whose answers: a version of k8s.io/dynamic-resource-allocation, v0.31.8, v0.36.6 "
          "or v0.37.2, or one implementation of it, v0.36.6/stable, /incubating or "
          "/experimental")
      ->capture_default_str();
  allocate->add_option("--feature-gates",
                       options.feature_gates,
                       "NAME=true|false,… as for kube-scheduler (default: as in that release)");
  allocate
      ->add_option("--steps-max", options.steps_max, "give up a search after so many candidates")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  allocate->add_option("-o,--output", output, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
  allocate->footer(
      "Pods that no node has yet get devices in the order given, each seeing what the ones before\n"
      "took; then claims that no pod uses. Claims with an allocation count as they are.\n"
      "Exit codes: 0 everything fits, 1 something does not, 2 bad options or unreadable input,\n"
      "3 a search was given up.\n"
      "Examples:\n"
      "  dray allocate -f examples/2-gpu-with-nic\n"
      "  kubectl get nodes,deviceclasses,resourceslices,resourceclaims,pods -A -o yaml >dump.yaml\n"
      "  dray allocate -f dump.yaml -f job.yaml --all-nodes   # where would the job fit?\n"
      "  dray allocate -f dump.yaml -f job.yaml --profile v0.36.6 -o json");
}

void AddCel(CLI::App& app, cli::CelOptions& options, std::string& output) {
  CLI::App* command =
      app.add_subcommand("cel", "a selector's type and cost, and which devices it chooses");
  command->add_option("expression", options.expression, "CEL expression, or - (standard input)")
      ->required();
  command
      ->add_option("-f,--filename",
                   options.paths,
                   "ResourceSlices: file, folder or - (standard input); repeatable")
      ->allow_extra_args(false);
  command->add_option("--release", options.release, "1.31 to 1.37: whose language (default: 1.37)");
  command->add_flag_callback(
      "--new",
      [&options] { options.use = cel::ExpressionUse::kNew; },
      "as an API server judges an expression that somebody writes (default)");
  command
      ->add_flag_callback(
          "--stored",
          [&options] { options.use = cel::ExpressionUse::kStored; },
          "as schedulers run it once it is stored: more of the language, whatever the gates")
      ->excludes("--new");
  command->add_option("--feature-gates",
                      options.feature_gates,
                      "NAME=true|false,… as for kube-apiserver; all DRA gates are on otherwise");
  command->add_flag("--derived", options.derived, "the expression is a derived attribute (1.37)");
  command->add_flag(
      "--explain", options.explain, "which part between && keeps how many devices out; needs -f");
  command->add_flag("--all", options.all, "do not cut long lists short");
  command->add_option("-o,--output", output, "text, json or yaml")
      ->check(CLI::IsMember({"text", "json", "yaml"}))
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 admitted, and with -f some device matches; 1 refused, or none matches;\n"
      "2 bad options or unreadable input.\n"
      "Example:\n"
      "  dray cel 'device.driver == \"gpu.nvidia.com\"' -f examples/2-gpu-with-nic");
}

void AddConvert(CLI::App& app, cli::ConvertOptions& options, std::string& output) {
  CLI::App* convert =
      app.add_subcommand("convert", "manifests in another version of resource.k8s.io");
  convert
      ->add_option("-f,--filename", options.paths, "file, folder or - (standard input); repeatable")
      ->required()
      ->allow_extra_args(false);
  convert->add_option("--to", options.version, "resource.k8s.io/VERSION, or the version alone")
      ->required();
  convert->add_option("--release",
                      options.release,
                      "1.26 to 1.37: without the fields this release does not have yet "
                      "(default: all fields the version ever had)");
  convert->add_flag_callback(
      "--allow-loss",
      [&options] { options.losing = cli::Losing::kAllowed; },
      "drop what the version cannot express, and say so, instead of refusing");
  convert
      ->add_option("-o,--output", output, "yaml or json; several documents as JSON become a List")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->capture_default_str();
  convert->footer(
      "Versions of one generation convert into each other: v1alpha3, v1beta1, v1beta2 and v1;\n"
      "v1alpha1 and v1alpha2. From these two to a later one the output is a proposal, with "
      "comments\n"
      "on what has no counterpart: read them before you apply it. Other kinds pass through.\n"
      "Exit codes: 0 converted, 1 something would be lost (nothing is written), 2 unreadable "
      "input.\n"
      "Example:\n  dray convert -f claims.yaml --to resource.k8s.io/v1 >claims-v1.yaml");
}

void AddValidate(CLI::App& app, cli::ValidateOptions& options, std::string& output) {
  CLI::App* validate =
      app.add_subcommand("validate", "what an API server would say to manifests, without one");
  validate
      ->add_option("-f,--filename", options.paths, "file, folder or - (standard input); repeatable")
      ->required()
      ->allow_extra_args(false);
  validate->add_option("--release",
                       options.release,
                       "judge by this release (default: for each object the first of 1.37, 1.31, "
                       "1.30 that serves its version)");
  validate->add_option("--feature-gates",
                       options.feature_gates,
                       "NAME=true|false,… as for kube-apiserver; all DRA gates are on otherwise");
  validate->add_flag("--strict", options.strict, "unknown and duplicate fields are errors");
  validate->add_option("-o,--output", output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  validate->footer(
      "Exit codes: 0 valid, 1 invalid or refused, 2 not YAML or unreadable.\n"
      "Example:\n  dray validate -f manifests/ --release 1.34");
}

void AddOutput(CLI::App& command, cli::StoreOptions& options) {
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&options](const std::string& word) {
            options.output = word == "json" ? cli::OutputFormat::kJson : cli::OutputFormat::kTable;
          },
          "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}));
}

/// One verb of dray store, on the store that --data-dir or --etcd-servers names.
CLI::App& AddStoreVerb(CLI::App& store,
                       cli::StoreOptions& options,
                       cli::StoreVerb verb,
                       const std::string& name,
                       const std::string& says) {
  CLI::App* command = store.add_subcommand(name, says);
  command->callback([&options, verb] { options.verb = verb; });
  AddStoreChoice(*command, options.store);
  return *command;
}

void AddStore(CLI::App& app, cli::StoreOptions& options) {
  using enum cli::StoreVerb;
  CLI::App* store = app.add_subcommand("store", "look after the store of dray serve");
  store->require_subcommand(1);
  AddOutput(AddStoreVerb(*store, options, kStatus, "status", "what there is, and who uses it"),
            options);
  AddOutput(
      AddStoreVerb(*store, options, kVerify, "verify", "check everything that can be checked"),
      options);
  CLI::App& backup = AddStoreVerb(
      *store, options, kBackup, "backup", "copy the newest state to a file; the server goes on");
  backup.add_option("FILE", options.file, "file to make; it must not exist")->required();
  AddOutput(backup, options);
  CLI::App& restore = AddStoreVerb(
      *store, options, kRestore, "restore", "make a data folder, or an empty etcd, hold a backup");
  restore.add_option("FILE", options.file, "what `dray store backup` made")->required();
  restore.add_flag("--overwrite", options.overwrite, "replace the store that is in the folder");
  restore
      .add_option("--skip-revisions",
                  options.skip_revisions,
                  "go on so many revisions later, so that clients which saw changes after the "
                  "backup list again instead of missing some; a data folder's only")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max() / 2));
  AddOutput(restore, options);
  CLI::App& compact =
      AddStoreVerb(*store, options, kCompact, "compact", "forget history and give its space back");
  compact.add_option_function<int64_t>(
      "--revision",
      [&options](int64_t revision) { options.revision = Revision{revision}; },
      "the oldest that can be read afterwards (default: the newest)");
  AddOutput(compact, options);
  CLI::App& dump =
      AddStoreVerb(*store, options, kDump, "dump", "print each record as one line of JSON");
  dump.add_option("--prefix", options.prefix, "only keys that begin so: /registry/pods/");
  dump.add_flag("--log", options.log, "everything that is kept, by revision, deletions too");
  store->footer(
      "status, verify, backup and dump work while a server uses the folder; restore and compact\n"
      "do not. Instead of a data folder, --data-dir may name a backup. With --etcd-servers,\n"
      "backup makes etcd's own snapshot, and `etcdctl snapshot restore` restores it; restore\n"
      "fills an etcd without keys with the backup of a data folder.\n"
      "Exit codes: 0 done and nothing wrong, 1 refused, failed or something wrong, 2 bad options\n"
      "or no store.\n"
      "Examples:\n"
      "  dray store backup --data-dir ~/.dray monday.db\n"
      "  dray store verify --data-dir monday.db\n"
      "  dray store dump --prefix /registry/resourceclaims/ | jq .value.status");
}

cli::Colours ColoursOfOutput() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread has started
  const bool is_plain = std::getenv("NO_COLOR") != nullptr || isatty(STDOUT_FILENO) == 0;
  return is_plain ? cli::Colours::kNone : cli::Colours::kTerminal;
}

int RunValidate(cli::ValidateOptions options, std::string_view output) {
  options.format = output == "json" ? cli::ReportFormat::kJson : cli::ReportFormat::kText;
  options.colours = ColoursOfOutput();
  return cli::Validate(RealWorld(), options, stdout, stderr);
}

std::string DefaultDataFolder() {
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): no thread has started
  return std::string(home == nullptr ? "." : home) + "/.dray";
}

int RunStore(cli::StoreOptions options) {
  if (options.store.data_folder.empty()) options.store.data_folder = DefaultDataFolder();
  options.shows_progress = isatty(STDERR_FILENO) != 0;
  return cli::Store(RealWorld(), options, stdout, stderr);
}

cli::OutputFormat FormatOf(const std::string& word) {
  if (word == "json") return cli::OutputFormat::kJson;
  return word == "yaml" ? cli::OutputFormat::kYaml : cli::OutputFormat::kTable;
}

int RunCel(cli::CelOptions options, const std::string& output) {
  options.output = FormatOf(output);
  options.colours = ColoursOfOutput();
  return cli::Cel(RealWorld(), options, stdout, stderr);
}

int RunServe(cli::ServeOptions options,
             const std::vector<std::string>& nodes,
             const std::string& components) {
  for (const std::string& text : nodes) {
    Result<cli::NodesOption> parsed = cli::ParseNodes(text);
    if (!parsed) {
      fmt::print(stderr, "dray serve: {}\n", parsed.error().message);
      return kUsageError;
    }
    options.nodes.push_back(*std::move(parsed));
  }
  options.components = CLI::detail::split(components, ',');
  if (options.store.data_folder.empty()) options.store.data_folder = DefaultDataFolder();
  return cli::Serve(RealWorld(), options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Dynamic Resource Allocation for Kubernetes: one binary, no cluster needed.",
               "dray");
  app.require_subcommand(1);
  app.set_version_flag("--version", cli::VersionLine());
  cli::ServeOptions serve;
  std::vector<std::string> nodes;
  std::string components = "apiserver,scheduler,controllers,nodes";
  cli::AllocateOptions allocate;
  std::string output = "table";
  AddServe(app, serve, nodes, components);
  AddAllocate(app, allocate, output);
  cli::CelOptions cel;
  std::string cel_output = "text";
  AddCel(app, cel, cel_output);
  cli::ConvertOptions convert;
  std::string document_format = "yaml";
  AddConvert(app, convert, document_format);
  cli::ValidateOptions validate;
  std::string report = "text";
  AddValidate(app, validate, report);
  cli::StoreOptions store;
  AddStore(app, store);
  app.add_subcommand("version", "print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kUsageError;
  }
  if (app.got_subcommand("version")) {
    fmt::print("{}\n", cli::VersionLine());
    return 0;
  }
  if (app.got_subcommand("allocate")) {
    allocate.output = FormatOf(output);
    return cli::Allocate(RealWorld(), allocate, stdout, stderr);
  }
  if (app.got_subcommand("cel")) return RunCel(std::move(cel), cel_output);
  if (app.got_subcommand("convert")) {
    if (document_format == "json") convert.output = cli::DocumentFormat::kJson;
    return cli::Convert(RealWorld(), convert, stdout, stderr);
  }
  if (app.got_subcommand("validate")) return RunValidate(validate, report);
  if (app.got_subcommand("store")) return RunStore(std::move(store));
  return RunServe(serve, nodes, components);
}
