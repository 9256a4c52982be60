// SPDX-License-Identifier: Apache-2.0
// dray explain: why a pod or claim gets no devices.
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "base/try.h"
#include "cli/command_line/common_options.h"
#include "cli/command_line/mistakes.h"
#include "cli/input/offline_input.h"
#include "cli/input/watch.h"
#include "cli/questions/questions.h"
#include "cli/reports/ci_report.h"
#include "cli/reports/explain_groups.h"
#include "cli/reports/explain_report.h"
#include "cli/reports/verdict_report.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "planning/cluster/holder_states.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/workloads.h"

namespace dray::cli::inline questions {
namespace {

struct ExplainOptions {
  std::string target;  // pod/NAME, claim/NAME; empty: all that wait
  OfflineInputOptions input;
  bool all = false;
  bool watch = false;
  std::string format = "text";
};

/// "pod namespace/name" for "pod/name"; empty: everything.
Result<std::string> TargetOf(const ExplainOptions& options, const std::string& namespace_) {
  if (options.target.empty()) return std::string();
  const size_t slash = options.target.find('/');
  const std::string_view kind = std::string_view(options.target).substr(0, slash);
  const std::string_view name =
      slash == std::string::npos ? "" : std::string_view(options.target).substr(slash + 1);
  const bool is_pod = kind == "pod" || kind == "pods" || kind == "po";
  const bool is_claim = kind == "claim" || kind == "resourceclaim" || kind == "resourceclaims";
  if ((!is_pod && !is_claim) || name.empty() || name.find('/') != std::string_view::npos) {
    const std::string slip =
        is_pod || is_claim
            ? ""
            : MeantName(kind, std::vector<std::string>{"pod", "claim", "resourceclaim"});
    return Fail(StatusReason::kBadRequest,
                fmt::format("{:?} is none of pod/NAME and claim/NAME{}", options.target, slip));
  }
  return fmt::format("{} {}/{}", is_pod ? "pod" : "claim", namespace_, name);
}

std::string Rendered(const ExplainOptions& options,
                     const std::vector<planning::OfflineExplanation>& answers,
                     Colours colours,
                     size_t columns) {
  if (IsCiForm(options.format)) {
    CiReport report = VerdictReport("explain");
    for (const planning::OfflineExplanation& answer : answers)
      report.results.push_back(CiResultOf(answer, TextOf(answer, {.all = options.all})));
    return CiText(options.format, report);
  }
  const OutputFormat format = FormatOf(options.format);
  if (format != OutputFormat::kText) return DocumentText(format, JsonOf(answers));
  return TextOfAll(answers,
                   {.all = options.all, .colours = colours, .columns = columns},
                   options.format == "wide" ? Length::kWhole : Length::kBounded);
}

/// Ctrl-C prints the partial results, unless a watch is running; before the input is read, it ends
/// the program. Errors: bad options or unreadable input, or nothing of that name.
Result<Said> Explain(World& world, const ExplainOptions& options, const Output& output) {
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, options.input, output));
  std::optional<Interruption> interruption;
  if (!options.watch) interruption.emplace();
  const std::atomic<bool>* const stop = interruption ? &interruption->flag() : nullptr;
  allocator::SharedWork work = SearchWorkOf(options.input);
  DRAY_TRY(std::string target, TargetOf(options, input.namespace_));
  NoteWhatLacks(input.objects, output);
  if (!options.input.paths.empty()) {  // controllers of a running cluster have made their pods
    const auto run = planning::RunWorkloads(world, input.objects, options.input.namespace_);
    if (!run) return Fail(run.error());
  }
  const planning::HolderStates holders(input.objects);
  planning::OfflineOptions rules = RulesFor(input);
  rules.node = options.input.node;
  rules.namespace_ = options.input.namespace_;
  rules.budget = {.steps_max = options.input.steps_max, .cancelled = stop, .work = &work};
  planning::OfflineCluster cluster(world, std::move(input.objects), std::move(rules));
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  const std::vector<std::string> waiting = cluster.Waiting();
  std::vector<planning::OfflineExplanation> answers;
  Progress progress(output, world.clock);
  for (const std::string& what :
       target.empty() ? waiting : std::vector<std::string>{std::move(target)}) {
    progress.Now("explaining " + what);
    auto answer = cluster.Explain(what);
    if (!answer.has_value()) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("there is no {} in the input; {}", what, KnownNames(what, waiting)));
    }
    holders.Mark(what, answer->explanation);
    answers.push_back(*std::move(answer));
    if (stop != nullptr && *stop) break;
  }
  progress.Clear();
  const bool is_cut_short = stop != nullptr && *stop;
  NoteWorkSpent(options.input, work, output);
  if (is_cut_short) NoteCutShort(output);
  if (answers.empty()) {
    output.Notes(std::vector<std::string>{"no pod and no claim waits for devices"});
  }
  return Said{.text = Rendered(options, answers, output.colours, output.columns),
              .code = ExitCodeOf(ExitCodeOf(VerdictsOf(answers), is_cut_short), input, output),
              .listed = std::move(input.listed)};
}

/// Returns the exit code. Errors: bad options or unreadable input, or nothing of that name.
Result<int> RunExplain(World& world, const ExplainOptions& options, const Output& output) {
  if (options.watch) {
    const auto ask = [&] { return Explain(world, options, output); };
    return WatchAnswers(
        world, options.input, {.command = "explain", .format = options.format}, ask, output);
  }
  DRAY_TRY(const Said said, Explain(world, options, output));
  cli::Print(output.out, "{}", Composed(said.text));
  return said.code;
}

}  // namespace

void AddExplain(Command& program) {
  const auto options = std::make_shared<ExplainOptions>();
  Command& command =
      program.Add("explain", "why a pod or claim gets no devices, and what would help");
  command.Text("KIND/NAME", options->target, "pod/NAME or claim/NAME (default: all that wait)");
  AddFiles(command, options->input);
  AddRules(command, options->input);
  AddLiveInput(command, options->input);
  command.Text("--node NODE", options->input.node, "look at this node only");
  command.Text("-n, --namespace NAMESPACE",
               options->input.namespace_,
               "namespace of the pod or claim, and of objects that name none (default: that of "
               "the kubeconfig, or default)");
  AddWatch(command, options->watch);
  command.Flag("--all", options->all, "each pod by itself, and no list is cut short");
  AddOutput(command, options->format, {"text", "wide", "json", "yaml", "junit", "sarif", "github"});
  command.Notes(
      "The cluster is looked at as it is: nothing is taken by what waits before. Nothing is "
      "written anywhere. Pods that wait for one reason are one entry; where that takes more than "
      "100 lines, each reason has a few, and all with -o wide.\n"
      "Exit codes: 0 it fits or has its devices, 1 it does not fit, 2 bad options, unreadable "
      "input, or nothing of that name, 3 a search was given up or ended by Ctrl-C.\n"
      "Examples:\n"
      "  dray explain pod/trainer-0 -n training   # where kubectl asks\n"
      "  kubectl get nodes,deviceclasses,resourceslices -A -o yaml >dump.yaml\n"
      "  kubectl get resourceclaims,pods -A -o yaml >in-use.yaml\n"
      "  dray explain pod/trainer-0 -n training -f dump.yaml -f in-use.yaml\n"
      "  dray explain -f examples/stories/numa/cluster.yaml \\\n"
      "               -f examples/stories/numa/wrong.yaml");
  command.Does([options](World& world, const Output& output) {
    return RunExplain(world, *options, output);
  });
}

}  // namespace dray::cli::inline questions
