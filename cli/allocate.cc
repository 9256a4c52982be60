// SPDX-License-Identifier: Apache-2.0
// dray allocate: who would get which devices, from manifests alone.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/allocate_report.h"
#include "cli/commands.h"
#include "cli/offline_input.h"
#include "cli/output.h"
#include "planning/offline_cluster.h"

namespace dray::cli {
namespace {

constexpr int kExitUndecided = 3;

struct AllocateOptions {
  OfflineInputOptions input;  // its namespace: decide about pods and claims of that only
  bool each_node = false;     // an answer per node, not the first that fits
  std::string format = "table";
};

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
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, options.input, output));
  planning::OfflineCluster cluster(
      world,
      std::move(input.objects),
      {.features = input.features,
       .node = options.input.node,
       .namespace_ = options.input.namespace_,
       .budget = {.steps_max = options.input.steps_max},
       .answers = options.each_node ? planning::NodeAnswers::kEach
                                    : planning::NodeAnswers::kFirstThatFits});
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  const std::vector<planning::OfflineAnswer> answers = cluster.AllocateAll();
  if (answers.empty()) {
    fmt::print(output.notes, "note: no pod uses a claim, and no claim waits for devices\n");
  }
  Print(options, answers, output);
  return ExitCode(answers);
}

/// What objects it is about.
void AddQuestion(CLI::App& command, AllocateOptions& options) {
  CLI::Option* node =
      command.add_option("--node", options.input.node, "look at this node only")->type_name("NAME");
  command
      .add_flag(
          "--all-nodes", options.each_node, "an answer for each node, not the first that fits")
      ->excludes(node);
  CLI::Option* namespace_ =
      command
          .add_option(
              "-n,--namespace",
              options.input.namespace_,
              "decide about pods and claims of this namespace only; also of objects that name none")
          ->type_name("NAME");
  command
      .add_flag_callback(
          "-A,--all-namespaces", [] {}, "decide about pods and claims of all of them (default)")
      ->excludes(namespace_);
}

}  // namespace

Command AddAllocate(CLI::App& program) {
  const auto options = std::make_shared<AllocateOptions>();
  CLI::App* const command =
      program.add_subcommand("allocate", "who would get which devices, from manifests alone");
  AddOfflineInput(*command, options->input);
  AddQuestion(*command, *options);
  command->add_option("-o,--output", options->format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
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
