// SPDX-License-Identifier: Apache-2.0
// dray allocate: who would get which devices, from manifests alone.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/feature_switches.h"
#include "api/feature_gates.h"
#include "cli/allocate_report.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "dray/profile.h"
#include "dray/taint_rules.h"
#include "manifests/objects.h"
#include "manifests/spelling.h"
#include "planning/offline_cluster.h"
#include "planning/offline_objects.h"

namespace dray::cli {
namespace {

constexpr const char* kDefaultNamespace = "default";
constexpr int kExitUndecided = 3;

struct AllocateOptions {
  std::vector<std::string> paths;   // files, folders, "-"
  std::string node;                 // empty: all
  std::string namespace_;           // decide about its pods and claims only; empty: all
  bool each_node = false;           // an answer per node, not the first that fits
  std::string profile = "v0.37.2";  // a released version of upstream's allocator
  std::string feature_gates;        // "DRAAdminAccess=false,…"; the release's defaults otherwise
  int64_t steps_max = 20'000'000;   // of one search
  std::string format = "table";
};

/// Whose rules hold: the profile's release, implementation and switches.
struct Rules {
  allocator::Features features;
  api::FeatureGates gates;
};

/// What to add to --feature-gates so that `implementation` knows all features that are on.
std::string GatesToSwitchOff(allocator::Implementation implementation,
                             const api::FeatureGates& gates) {
  std::vector<std::string> off;
  for (const allocator::FeatureSwitch& feature : allocator::FeatureSwitches()) {
    const api::Gate gate = feature.gates[0];
    if (feature.first > implementation && gates.Has(gate) && gates.Has(feature.gates[1]))
      off.push_back(fmt::format("{}=false", api::Gates()[static_cast<size_t>(gate)].name));
  }
  return fmt::format("{}", fmt::join(off, ","));
}

Result<Rules> RulesOf(const AllocateOptions& options) {
  DRAY_TRY(const allocator::Profile profile, allocator::ParseProfile(options.profile));
  Rules rules{.features = {}, .gates = api::FeatureGates::DefaultsOf(profile.release)};
  DRAY_TRY_VOID(rules.gates.Apply(options.feature_gates, profile.release));
  Result<allocator::Features> features = allocator::FeaturesOf(profile, rules.gates);
  if (!features && profile.implementation.has_value()) {
    return Fail(features.error().reason,
                fmt::format("{}; it needs --feature-gates {}",
                            features.error().message,
                            GatesToSwitchOff(*profile.implementation, rules.gates)));
  }
  DRAY_TRY(rules.features, std::move(features));
  return rules;
}

/// Taints the slices as the rules among the objects say, while the release has such rules.
void ApplyTaintRules(const Rules& rules, planning::OfflineObjects& objects) {
  if (objects.taint_rules.empty()) return;
  if (!rules.gates.Has(api::Gate::kDeviceTaintRules) || !rules.features.device_taints) {
    objects.notes.push_back(
        fmt::format("{} DeviceTaintRules have no effect: DRADeviceTaintRules is off",
                    objects.taint_rules.size()));
    return;
  }
  objects.slices = allocator::WithTaintsOf(
      objects.taint_rules, std::move(objects.slices), rules.features.release);
}

int ExitCode(const std::vector<planning::OfflineAnswer>& answers) {
  using planning::Verdict;
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(answers, [&](const auto& a) { return a.verdict == verdict; });
  };
  if (any(Verdict::kDoesNotFit) || any(Verdict::kRefused)) return kExitNo;
  return any(Verdict::kUndecided) ? kExitUndecided : kExitYes;
}

void Print(const AllocateOptions& options,
           const std::vector<planning::OfflineAnswer>& answers,
           const Output& output) {
  const OutputFormat format = FormatOf(options.format);
  if (format == OutputFormat::kText) return PrintAsTable(output.out, answers);
  output.Document(format,
                  options.each_node ? NodeAnswersAsJson(answers) : AllocatedClaims(answers));
  PrintObstacles(output.notes, answers);
}

/// The exit code. Errors: bad options or unreadable input.
Result<int> Allocate(World& world, const AllocateOptions& options, const Output& output) {
  DRAY_TRY(const Rules rules, RulesOf(options));
  const api::Scheme scheme;
  DRAY_TRY(const manifests::Manifests read,
           manifests::ReadManifests(world.disk, scheme, options.paths));
  output.Notes(read.notes);
  planning::OfflineObjects objects = planning::SortManifests(
      world, read, options.namespace_.empty() ? kDefaultNamespace : options.namespace_);
  ApplyTaintRules(rules, objects);
  output.Notes(objects.notes);
  planning::OfflineCluster cluster(
      world,
      std::move(objects),
      {.features = rules.features,
       .node = options.node,
       .namespace_ = options.namespace_,
       .budget = {.steps_max = options.steps_max},
       .answers = options.each_node ? planning::NodeAnswers::kEach
                                    : planning::NodeAnswers::kFirstThatFits});
  const std::vector<std::string> nodes = cluster.NodeNames();
  if (!options.node.empty() && std::ranges::find(nodes, options.node) == nodes.end()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--node: no node {} in the input; {}",
                            options.node,
                            manifests::KnownNames(options.node, nodes)));
  }
  const std::vector<planning::OfflineAnswer> answers = cluster.AllocateAll();
  if (answers.empty()) {
    fmt::print(output.notes, "note: no pod uses a claim, and no claim waits for devices\n");
  }
  Print(options, answers, output);
  return ExitCode(answers);
}

/// What objects it is about.
void AddQuestion(CLI::App& command, AllocateOptions& options) {
  command
      .add_option("-f,--filename", options.paths, "file, folder or - (standard input); repeatable")
      ->type_name("PATH")
      ->required()
      ->allow_extra_args(false);
  CLI::Option* node =
      command.add_option("--node", options.node, "look at this node only")->type_name("NAME");
  command
      .add_flag(
          "--all-nodes", options.each_node, "an answer for each node, not the first that fits")
      ->excludes(node);
  CLI::Option* namespace_ =
      command
          .add_option(
              "-n,--namespace",
              options.namespace_,
              "decide about pods and claims of this namespace only; also of objects that name none")
          ->type_name("NAME");
  command
      .add_flag_callback(
          "-A,--all-namespaces", [] {}, "decide about pods and claims of all of them (default)")
      ->excludes(namespace_);
}

/// Whose rules hold, and what comes out.
void AddRules(CLI::App& command, AllocateOptions& options) {
  command
      .add_option("--profile",
                  options.profile,
                  "whose answers: a version of k8s.io/dynamic-resource-allocation, v0.31.8, "
                  "v0.36.6 or v0.37.2, or one implementation of it, v0.36.6/stable, /incubating "
                  "or /experimental")
      ->type_name("PROFILE")
      ->capture_default_str();
  command
      .add_option("--feature-gates",
                  options.feature_gates,
                  "NAME=true|false,… as for kube-scheduler (default: as in that release)")
      ->type_name("GATES");
  command.add_option("--steps-max", options.steps_max, "give up a search after so many candidates")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  command.add_option("-o,--output", options.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
}

}  // namespace

Command AddAllocate(CLI::App& program) {
  const auto options = std::make_shared<AllocateOptions>();
  CLI::App* const command =
      program.add_subcommand("allocate", "who would get which devices, from manifests alone");
  AddQuestion(*command, *options);
  AddRules(*command, *options);
  command->footer(
      "Pods that no node has yet get devices in the order given, each seeing what the ones before "
      "took; then claims that no pod uses. Claims with an allocation count as they are.\n"
      "Exit codes: 0 everything fits, 1 something does not, 2 bad options or unreadable input, "
      "3 a search was given up.\n"
      "Examples:\n"
      "  dray allocate -f examples/2-gpu-with-nic\n"
      "  kubectl get nodes,deviceclasses,resourceslices -A -o yaml >dump.yaml\n"
      "  kubectl get resourceclaims,pods -A -o yaml >in-use.yaml\n"
      "  dray allocate -f dump.yaml -f in-use.yaml -f job.yaml --all-nodes\n"
      "  dray allocate -f dump.yaml -f job.yaml --profile v0.36.6 -o json");
  return {.app = command, .run = [options](World& world, const Output& output) {
            const Result<int> code = Allocate(world, *options, output);
            return code ? *code : output.Refuse("allocate", code.error().message);
          }};
}

}  // namespace dray::cli
