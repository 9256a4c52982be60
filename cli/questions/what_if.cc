// SPDX-License-Identifier: Apache-2.0
// dray whatif: whether work would fit into a cluster, and why not.
#include "planning/whatif/what_if.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/batch_v1/job.h"
#include "api/core_v1/pod.h"
#include "base/try.h"
#include "cli/command_line/common_options.h"
#include "cli/input/offline_input.h"
#include "cli/questions/questions.h"
#include "cli/questions/what_if_changes.h"
#include "cli/reports/what_if_report.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "manifests/objects.h"
#include "manifests/pod_templates.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/queued_pods.h"
#include "planning/objects/wanted_pods.h"
#include "planning/objects/workloads.h"

namespace dray::cli::inline questions {
namespace {

struct WhatIfOptions {
  OfflineInputOptions input;       // its paths: the cluster
  std::optional<size_t> replicas;  // of each pod of the work, and of each workload
  bool max = false;                // report how often the work fits
  bool defragment = false;
  std::vector<Change> changes;  // in the order of the command line
  bool all = false;
  std::string format = "text";
};

struct Work {
  std::set<std::string> what;  // "pod a/b", "claim a/c"
  std::vector<planning::PlacedObject> pods;
};

/// A suspended Job as it is after its resumption; other workloads unchanged.
api::Object Resumed(const api::Object& workload, const Output& output) {
  const auto* const job = workload.If<api::batch_v1::Job>();
  if (job == nullptr || !job->spec.suspend.value_or(false)) return workload;
  output.Notes(std::vector<std::string>{
      fmt::format("{} is suspended: this is what it would get when it is resumed",
                  manifests::WrittenNameOf(workload))});
  api::Object resumed = workload.Clone();
  resumed.Mutable<api::batch_v1::Job>().spec.suspend = false;
  return resumed;
}

/// Finds the work among all objects. Adds the pods of workloads to the objects. Errors:
/// kBadRequest  a workload has too many.
Result<Work> WorkOf(World& world,
                    const WhatIfOptions& options,
                    OfflineInput& input,
                    const Output& output) {
  Work work;
  const planning::OfflineObjects own = planning::SortManifests(
      world, {.objects = planning::CopiesOf(input.work), .notes = {}}, input.namespace_);
  work.pods = own.pods;
  for (const manifests::ManifestObject& manifest : input.work) {
    if (!planning::IsWorkload(manifest.object)) continue;
    const planning::PlacedObject workload{
        Resumed(planning::AsStored(world, manifest.object, input.namespace_), output),
        manifests::PlaceOf(manifest)};
    DRAY_TRY(const std::vector<planning::PlacedObject> pods,
             planning::PodsOf(world, workload, input.objects.nodes, options.replicas));
    std::ranges::copy(pods, std::back_inserter(work.pods));
    std::ranges::copy(pods, std::back_inserter(input.objects.pods));
  }
  for (const planning::PlacedObject& pod : work.pods)
    work.what.insert("pod " + api::ObjectKey(pod.object.metadata()));
  for (const std::string& claim : own.claim_order) work.what.insert("claim " + claim);
  if (!options.replicas.has_value()) return work;
  for (size_t i = 1; i < *options.replicas; ++i) {
    for (const planning::PlacedObject& pod : own.pods) {
      planning::PlacedObject copy =
          planning::CopyOf(world, pod, fmt::format("{}-{}", pod.object.metadata().name, i));
      work.what.insert("pod " + api::ObjectKey(copy.object.metadata()));
      input.objects.pods.push_back(std::move(copy));
    }
  }
  return work;
}

/// The pods and claims to decide about, besides copies of the work.
struct Agenda {
  std::set<std::string> asked;   // the work, but not with --max, and pods of Changed
  std::set<std::string> queued;  // pods that already wait in the cluster
  /// The cluster without work and changes; empty if no pod waits.
  planning::OfflineObjects before = {};
};

/// The rules, and how the user can interrupt the search.
struct Asking {
  World& world;
  const planning::OfflineOptions& rules;
  Progress& progress;

  bool is_ended() const { return rules.budget.IsCancelled(); }
};

int32_t PriorityOf(const planning::PlacedObject& pod) {
  return pod.object.As<api::core_v1::Pod>().spec.priority.value_or(0);
}

Agenda AgendaFor(const OfflineInput& input, const Work& work, bool max) {
  Agenda agenda{.asked = max ? std::set<std::string>() : work.what,
                .queued = planning::QueuedPods(input.objects, work.what)};
  if (agenda.queued.empty()) return agenda;
  agenda.before = input.objects;
  std::erase_if(agenda.before.pods, [&](const planning::PlacedObject& placed) {
    return work.what.contains("pod " + api::ObjectKey(placed.object.metadata()));
  });
  if (!max) return agenda;
  // Pods with a lower priority than the copies come after them, so they are left out.
  int32_t lowest = std::numeric_limits<int32_t>::max();
  for (const planning::PlacedObject& pod : work.pods) lowest = std::min(lowest, PriorityOf(pod));
  for (const planning::PlacedObject& pod : agenda.before.pods) {
    if (PriorityOf(pod) < lowest)
      agenda.queued.erase("pod " + api::ObjectKey(pod.object.metadata()));
  }
  return agenda;
}

/// Decides about the waiting pods without work and changes, within half of the budget.
std::vector<planning::OfflineAnswer> PlaceQueued(const Asking& asking, Agenda& agenda) {
  if (agenda.queued.empty()) return {};
  allocator::SharedWork& all = *asking.rules.budget.work;
  const uint64_t half = all.left() / 2;
  allocator::SharedWork searching(half);
  planning::OfflineOptions rules = asking.rules;
  rules.budget.work = &searching;
  rules.only = agenda.queued;
  rules.defragments = false;
  planning::OfflineCluster cluster(asking.world, std::move(agenda.before), std::move(rules));
  cluster.OrderAsQueue({}, agenda.queued);
  std::vector<planning::OfflineAnswer> answers = cluster.AllocateAll();
  all.Charge(half - searching.left());
  return answers;
}

/// Decides about everything on the agenda.
WhatIfAnswer PlaceAll(const Asking& asking,
                      const Agenda& agenda,
                      std::span<const planning::OfflineAnswer> before,
                      planning::OfflineCluster& cluster) {
  WhatIfAnswer answer;
  std::vector<planning::OfflineAnswer> queued;
  for (planning::OfflineAnswer& one : cluster.AllocateAll())
    (agenda.queued.contains(one.what) ? queued : answer.placed).push_back(std::move(one));
  answer.queued = planning::CompareQueued(before, std::move(queued));
  answer.is_cut_short = asking.is_ended();
  return answer;
}

void ExplainPlaced(const Asking& asking, planning::OfflineCluster& cluster, WhatIfAnswer& answer) {
  for (const planning::OfflineAnswer& one : answer.placed) {
    if (one.verdict == planning::Verdict::kFits) continue;
    asking.progress.Now("explaining " + one.what);
    if (auto reason = cluster.Explain(one.what)) answer.reasons.push_back(*std::move(reason));
  }
}

/// Adds copies of the work's pods to the cluster until one does not fit, or the user interrupts.
void FillUp(const Asking& asking,
            const Work& work,
            planning::OfflineCluster& cluster,
            WhatIfAnswer& answer) {
  size_t copies = 0;
  answer.copies = 0;
  while (copies < planning::kCopiesMax && !answer.is_cut_short) {
    asking.progress.Now(fmt::format("{} fit so far", copies));
    std::vector<std::string> nodes, evicts;
    for (const planning::PlacedObject& pod : work.pods) {
      const std::string name = fmt::format("{}-{}", pod.object.metadata().name, copies + 1);
      const planning::OfflineAnswer placed =
          cluster.AddPod(planning::CopyOf(asking.world, pod, name));
      if (placed.verdict == planning::Verdict::kFits) {
        nodes.push_back(placed.node);
        evicts.insert(evicts.end(), placed.evicts.begin(), placed.evicts.end());
        continue;
      }
      answer.is_cut_short = asking.is_ended();
      if (answer.is_cut_short) return;
      if (auto reason = cluster.Explain(placed.what)) answer.reasons.push_back(*std::move(reason));
      return;
    }
    for (const std::string& node : nodes) ++answer.by_node[node];
    answer.evicts.insert(answer.evicts.end(), evicts.begin(), evicts.end());
    answer.copies = ++copies;
    answer.is_cut_short = asking.is_ended();
  }
}

/// Checks that there is something to decide. Errors: kBadRequest  why there is not.
Result<> CheckAsked(const WhatIfOptions& options, const Work& work, bool any_changes) {
  const auto refuse = [](std::string_view why) -> Result<> {
    return Fail(StatusReason::kBadRequest, fmt::format("nothing was decided: {}", why));
  };
  const bool has_work = !options.input.work.empty();
  if (!has_work && !any_changes) return refuse("neither work (-f) nor a change is named");
  if (options.max && work.pods.empty()) return refuse("--max: the work has no pod");
  if (has_work && work.what.empty() && !options.input.allows_nothing)
    return refuse("the files of -f hold no pod, no claim and no workload");
  return {};
}

/// Handles work without requests for devices. Errors: kBadRequest  the work has its devices
/// already.
Result<> CheckDecided(const WhatIfOptions& options,
                      const planning::OfflineCluster& cluster,
                      const WhatIfAnswer& answer,
                      const Output& output) {
  if (answer.copies.has_value() || answer.is_cut_short || !answer.placed.empty()) return {};
  if (options.input.work.empty()) {
    if (answer.queued.pods == 0)
      output.Notes(std::vector<std::string>{"no pod has to look for another place"});
    return {};
  }
  const std::vector<planning::LeftOut> left_out = cluster.NotDecided();
  std::string why = "nothing of the work waits for devices";
  if (!left_out.empty())
    why += fmt::format(
        ": {} {}{}", left_out[0].what, left_out[0].why, left_out.size() == 1 ? "" : ", …");
  if (!options.input.allows_nothing)
    return Fail(StatusReason::kBadRequest, "nothing was decided: " + why);
  output.Notes(std::vector<std::string>{why});
  return {};
}

int CodeOf(const WhatIfAnswer& answer) {
  // If pods that go first are undecided, the answer for the work is not certain either.
  const int yes = answer.queued.undecided > 0 ? kExitUndecided : kExitYes;
  if (answer.copies.has_value() && *answer.copies > 0) return yes;
  if (answer.copies.has_value() && answer.reasons.empty()) return kExitUndecided;
  const int code =
      ExitCodeOf(answer.copies.has_value() ? VerdictsOf(answer.reasons) : VerdictsOf(answer.placed),
                 answer.is_cut_short);
  return code == kExitYes ? yes : code;
}

void Print(const WhatIfOptions& options, const WhatIfAnswer& answer, const Output& output) {
  if (IsCiForm(options.format)) {
    cli::Print(output.out, "{}", Composed(CiText(options.format, ReportOf(answer))));
  } else if (const OutputFormat format = FormatOf(options.format); format == OutputFormat::kText) {
    PrintText(answer, options.all, output);
  } else {
    output.Document(format, JsonOf(answer));
  }
}

/// Returns the exit code. Errors: bad options or unreadable input.
Result<int> RunWhatIf(World& world, const WhatIfOptions& options, const Output& output) {
  OfflineInputOptions everything = options.input;
  everything.is_live = everything.is_live || everything.paths.empty();
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, everything, output));
  if (!input.is_known) {
    return Fail(StatusReason::kBadRequest,
                "nothing was decided: the files of --cluster hold no objects that Dray knows");
  }
  DRAY_TRY(const Work work, WorkOf(world, options, input, output));
  DRAY_TRY_VOID(CheckAsked(options, work, !options.changes.empty()));
  if (work.what.empty() && options.changes.empty()) {
    output.Notes(std::vector<std::string>{"the files of -f hold no pod, no claim and no workload"});
    return kExitYes;
  }
  NoteWhatLacks(input.objects, output);
  Agenda agenda = AgendaFor(input, work, options.max);
  planning::OfflineOptions rules = RulesFor(input);
  DRAY_TRY(Changed changed, MakeChanges(world, options.changes, input.namespace_, input.objects));
  agenda.asked.insert(changed.moved.begin(), changed.moved.end());
  agenda.asked.insert(changed.daemons.begin(), changed.daemons.end());
  const Interruption interruption;
  allocator::SharedWork searching = SearchWorkOf(options.input);
  Progress progress(output, world.clock);
  rules.node = options.input.node;
  rules.budget = {
      .steps_max = options.input.steps_max, .cancelled = &interruption.flag(), .work = &searching};
  rules.only = agenda.asked;
  rules.queued = agenda.queued;
  rules.finds_failures = false;
  rules.begins = [&progress](std::string_view what) { progress.Now(LookingFor(what)); };
  rules.nodes_take_turns = true;
  rules.defragments = options.defragment;
  planning::OfflineCluster cluster(world, std::move(input.objects), rules);
  cluster.OrderAsQueue(changed.daemons, agenda.queued);
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  const Asking asking{.world = world, .rules = rules, .progress = progress};
  const std::vector<planning::OfflineAnswer> before = PlaceQueued(asking, agenda);
  WhatIfAnswer answer = PlaceAll(asking, agenda, before, cluster);
  answer.nodes_before = std::move(changed.nodes_before);
  if (options.max) {
    FillUp(asking, work, cluster, answer);
  } else {
    ExplainPlaced(asking, cluster, answer);
  }
  progress.Clear();
  DRAY_TRY_VOID(CheckDecided(options, cluster, answer, output));
  Print(options, answer, output);
  NoteWorkSpent(options.input, searching, output);
  if (answer.is_cut_short) NoteCutShort(output);
  return ExitCodeOf(CodeOf(answer), input, output);
}

void AddChanges(Command& command, WhatIfOptions& options) {
  const Option& replicas =
      command
          .Number("--replicas",
                  options.replicas,
                  "ask about NUMBER of each pod and workload (DaemonSets excepted)")
          .Between(1, planning::kCopiesMax);
  const Option& max =
      command
          .Flag(
              "--max", options.max, "how many copies of the work fit, and what the next one lacks")
          .Excludes(replicas);
  command
      .Flag("--defragment",
            options.defragment,
            "where it does not fit, which pods would have to move so that it does")
      .Excludes(max);
  AddChangeOptions(command, options.changes);
}

}  // namespace

void AddWhatIf(Command& program) {
  const auto options = std::make_shared<WhatIfOptions>();
  Command& command =
      program.Add("whatif", "whether work would fit into a cluster, before it is there");
  command
      .Texts("-f, --filename PATH", options->input.work, "the work: file, folder or -; repeatable")
      .InGroup(kInputGroup);
  command
      .Texts("--cluster PATH",
             options->input.paths,
             "the cluster: dumps or manifests (default: the one kubectl asks); repeatable")
      .InGroup(kInputGroup);
  AddLiveInput(command, options->input);
  AddRules(command, options->input);
  AddAllowNothing(command, options->input.allows_nothing);
  AddChanges(command, *options);
  command.Text("--node NODE", options->input.node, "look at this node only");
  AddNamespaceOfObjects(command, options->input.namespace_);
  command.Flag("--all", options->all, "do not cut long lists short");
  AddOutput(command, options->format, {"text", "json", "yaml", "junit", "sarif", "github"});
  command.Notes(
      "The work: pods, claims that none of them uses, and workloads (Deployment, ReplicaSet, "
      "StatefulSet, DaemonSet, Job, CronJob, ReplicationController), which are asked about as the "
      "pods that they run. Changes happen in the order given, before the work comes. Pods that "
      "wait "
      "in the cluster already are placed as the scheduler would: before work of the same priority. "
      "The answer says which of them then run, and which no longer do. Nothing is written "
      "anywhere.\n"
      "Exit codes: 0 all of it fits (with --max: once at least), 1 it does not, 2 bad options, "
      "unreadable input or nothing to decide about, 3 a search was given up or ended by Ctrl-C.\n"
      "Examples:\n"
      "  dray whatif -f job.yaml --cluster dump.yaml\n"
      "  dray whatif -f job.yaml --cluster dump.yaml --max\n"
      "  dray whatif -f job.yaml --cluster dump.yaml --defragment\n"
      "  dray whatif --cluster dump.yaml --drain node-7");
  command.Does(
      [options](World& world, const Output& output) { return RunWhatIf(world, *options, output); });
}

}  // namespace dray::cli::inline questions
