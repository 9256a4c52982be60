// SPDX-License-Identifier: Apache-2.0
// dray allocate: which pods and claims would get which devices.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "base/try.h"
#include "cli/command_line/common_options.h"
#include "cli/input/offline_input.h"
#include "cli/questions/questions.h"
#include "cli/reports/allocate_report.h"
#include "cli/reports/ci_report.h"
#include "cli/reports/verdict_report.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/workloads.h"

namespace dray::cli::inline questions {
namespace {

struct AllocateOptions {
  OfflineInputOptions input;  // its namespace limits the pods and claims to decide about
  bool each_node = false;     // an answer per node, not the first that fits
  std::string format = "table";
};

/// "a, b and 7 more"
std::string SomeOf(std::span<const std::string> names) {
  constexpr size_t kNamesShownMax = 10;
  const std::span<const std::string> shown = names.first(std::min(names.size(), kNamesShownMax));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

/// "ClusterRole (2), Service (1)"
std::string KindsText(const std::map<std::string, size_t, std::less<>>& counts) {
  std::vector<std::string> kinds;
  kinds.reserve(counts.size());
  for (const auto& [kind, count] : counts) kinds.push_back(fmt::format("{} ({})", kind, count));
  return SomeOf(kinds);
}

/// Notes about objects that could need devices but are left out, one for each reason.
std::vector<std::string> NotesOf(const std::vector<planning::LeftOut>& left_out,
                                 const std::string& other_kinds) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const planning::LeftOut& one : left_out) {
    if (!one.is_settled) by_reason[one.why].push_back(one.what);
  }
  std::vector<std::string> notes;
  notes.reserve(by_reason.size() + 1);
  for (const auto& [why, what] : by_reason)
    notes.push_back(fmt::format("left out ({}): {}", why, SomeOf(what)));
  if (!other_kinds.empty()) notes.push_back("not looked at: " + other_kinds);
  return notes;
}

/// A summary of the input, for messages that there is nothing to decide.
struct Scope {
  std::set<std::string> namespaces;  // of pods, claims and workloads
  bool has_nodes = false;
  std::string other_kinds;
  std::string skipped_kinds;  // of resource.k8s.io
};

Scope ScopeOf(const planning::OfflineObjects& objects) {
  Scope scope{.namespaces = {},
              .has_nodes = !objects.nodes.empty(),
              .other_kinds = KindsText(objects.others),
              .skipped_kinds = KindsText(objects.skipped)};
  const auto add = [&](const api::Object& object) {
    scope.namespaces.insert(object.metadata().namespace_);
  };
  for (const planning::PlacedObject& pod : objects.pods) add(pod.object);
  for (const auto& [key, claim] : objects.claims) add(claim.object);
  for (const planning::PlacedWorkload& one : objects.workloads) add(one.workload.object);
  return scope;
}

/// Why there is nothing to decide about.
std::string WhyNothing(const AllocateOptions& options,
                       const Scope& scope,
                       const std::vector<planning::LeftOut>& left_out) {
  const std::string& in = options.input.namespace_;
  if (scope.namespaces.empty() && !scope.skipped_kinds.empty()) {
    return fmt::format(
        "the input has nothing that this allocator looks at: it skipped {}; `dray convert --to v1` "
        "makes or proposes what takes their place",
        scope.skipped_kinds);
  }
  if (scope.namespaces.empty()) {
    return fmt::format("the input has no pod, no claim and no workload{}",
                       scope.other_kinds.empty() ? "" : "; it has " + scope.other_kinds);
  }
  if (!in.empty() && !scope.namespaces.contains(in)) {
    const std::vector<std::string> known(scope.namespaces.begin(), scope.namespaces.end());
    return fmt::format("no pod, claim or workload is in namespace {}; the input has them in {}",
                       in,
                       KnownNames(in, known).substr(std::string_view("it has ").size()));
  }
  std::vector<std::string> states;
  states.reserve(left_out.size());
  for (const planning::LeftOut& one : left_out)
    states.push_back(fmt::format("{} {}", one.what, one.why));
  return fmt::format("nothing waits for devices{}{}", states.empty() ? "" : ": ", SomeOf(states));
}

Result<int> Refused(const std::string& why) {
  return Fail(StatusReason::kBadRequest, "nothing was decided: " + why);
}

void Print(const AllocateOptions& options, const Allocated& allocated, const Output& output) {
  if (IsCiForm(options.format)) {
    CiReport report = VerdictReport("allocate");
    for (const planning::OfflineAnswer& answer : allocated.answers)
      report.results.push_back(CiResultOf(answer, ObstaclesOf(answer)));
    return cli::Print(output.out, "{}", Composed(CiText(options.format, report)));
  }
  const OutputFormat format = FormatOf(options.format);
  if (format == OutputFormat::kText) return PrintAsTable(output.out, allocated.answers);
  output.Document(format, JsonOf(allocated));
  PrintObstacles(output.notes, allocated.answers);
}

/// Returns the exit code. Errors: bad options, unreadable input, or nothing to decide about.
Result<int> Allocate(World& world, const AllocateOptions& options, const Output& output) {
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, options.input, output));
  const Scope scope = ScopeOf(input.objects);
  Allocated allocated;
  DRAY_TRY(allocated.left_out,
           planning::RunWorkloads(world, input.objects, options.input.namespace_));
  if (!input.objects.has_nodes && scope.has_nodes) NoteWhatLacks(input.objects, output);
  const Interruption interruption;
  allocator::SharedWork work = SearchWorkOf(options.input);
  Progress progress(output, world.clock);
  planning::OfflineOptions rules = RulesFor(input);
  rules.node = options.input.node;
  rules.namespace_ = options.input.namespace_;
  rules.budget = {
      .steps_max = options.input.steps_max, .cancelled = &interruption.flag(), .work = &work};
  rules.begins = [&progress](std::string_view what) { progress.Now(LookingFor(what)); };
  rules.devices_only = true;
  if (options.each_node) rules.answers = planning::NodeAnswers::kEach;
  planning::OfflineCluster cluster(world, std::move(input.objects), std::move(rules));
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  std::ranges::move(cluster.NotDecided(), std::back_inserter(allocated.left_out));
  std::ranges::sort(allocated.left_out, {}, &planning::LeftOut::what);
  if (const std::vector<std::string> waiting = cluster.Waiting();
      !scope.has_nodes && !waiting.empty()) {
    return Refused(
        fmt::format("no Node among the input, and no ResourceSlice names one; {} devices: {}",
                    waiting.size() == 1 ? "one waits for" : "these wait for",
                    SomeOf(waiting)));
  }
  allocated.answers = cluster.AllocateAll();
  progress.Clear();
  allocated.is_cut_short = interruption.came();
  if (allocated.answers.empty() && !allocated.is_cut_short) {
    const std::string why = WhyNothing(options, scope, allocated.left_out);
    if (!options.input.allows_nothing) return Refused(why);
    output.Notes(std::vector<std::string>{why});
    if (options.format != "table") Print(options, allocated, output);
    return kExitYes;
  }
  output.Notes(NotesOf(allocated.left_out, scope.other_kinds));
  Print(options, allocated, output);
  NoteWorkSpent(options.input, work, output);
  if (allocated.is_cut_short) NoteCutShort(output);
  return ExitCodeOf(
      ExitCodeOf(VerdictsOf(allocated.answers), allocated.is_cut_short), input, output);
}

/// Adds the options that choose objects.
void AddQuestion(Command& command, AllocateOptions& options) {
  const Option& node = command.Text("--node NODE", options.input.node, "look at this node only");
  command.Flag("--all-nodes", options.each_node, "an answer for each node, not the first that fits")
      .Excludes(node);
  const Option& namespace_ = command.Text("-n, --namespace NAMESPACE",
                                          options.input.namespace_,
                                          "decide about pods and claims of this namespace only; "
                                          "it is also the namespace of objects "
                                          "that name none");
  command
      .Flag(
          "-A, --all-namespaces",
          [] {},
          "decide about the pods and claims of all namespaces (default)")
      .Excludes(namespace_);
}

}  // namespace

void AddAllocate(Command& program) {
  const auto options = std::make_shared<AllocateOptions>();
  Command& command = program.Add("allocate", "who would get which devices, from manifests alone");
  AddFiles(command, options->input).Required();
  AddRules(command, options->input);
  AddQuestion(command, *options);
  AddAllowNothing(command, options->input.allows_nothing);
  AddOutput(command, options->format, {"table", "json", "yaml", "junit", "sarif", "github"});
  command.Notes(
      "Pods that no node has yet, and those that Deployments, ReplicaSets, StatefulSets, "
      "DaemonSets, "
      "Jobs and CronJobs still lack, get devices in the order given, each seeing what the ones "
      "before took; then claims that no pod uses. Claims with an allocation count as they are.\n"
      "Exit codes: 0 everything fits, 1 something does not, 2 bad options, unreadable input or "
      "nothing to decide about, 3 a search was given up or ended by Ctrl-C.\n"
      "Examples:\n"
      "  dray allocate -f examples/2-gpu-with-nic\n"
      "  kubectl get nodes,deviceclasses,resourceslices -A -o yaml >dump.yaml\n"
      "  kubectl get resourceclaims,pods -A -o yaml >in-use.yaml\n"
      "  dray allocate -f dump.yaml -f in-use.yaml -f job.yaml --all-nodes\n"
      "  dray allocate -f dump.yaml -f job.yaml --profile v0.36.6 -o json");
  command.Does(
      [options](World& world, const Output& output) { return Allocate(world, *options, output); });
}

}  // namespace dray::cli::inline questions
