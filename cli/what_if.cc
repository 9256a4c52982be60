// SPDX-License-Identifier: Apache-2.0
// dray whatif: whether work would fit into a cluster, and what is in the way.
#include "planning/what_if.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/batch_v1/job.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/offline_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/what_if_report.h"
#include "manifests/objects.h"
#include "manifests/pod_templates.h"
#include "node/profile.h"
#include "planning/offline_cluster.h"
#include "planning/wanted_pods.h"
#include "planning/workloads.h"

namespace dray::cli {
namespace {

enum class ChangeKind { kDelete, kDrain, kRemoveNode, kAddNodes, kLike, kTaint, kUpgradeDriver };

struct ChangeOption {
  ChangeKind kind;
  const char* synopsis;
  const char* help;
};
constexpr ChangeOption kChanges[] = {
    {ChangeKind::kDelete, "--delete KIND/NAME", "a pod (pod/NAME) or claim (claim/NAME) is gone"},
    {ChangeKind::kDrain, "--drain NODE", "the node's pods have to find another node"},
    {ChangeKind::kRemoveNode,
     "--remove-node NODE",
     "the same, and the node's devices are gone too"},
    {ChangeKind::kAddNodes,
     "--add-nodes NODE=COUNT",
     "COUNT more nodes like NODE, or of a profile of dray serve: example, 8-gpu-server"},
    {ChangeKind::kLike, "--like NODE", "one more node like that one, unused"},
    {ChangeKind::kTaint,
     "--taint WHAT=TAINT",
     "node/NAME or device/DRIVER[/POOL[/DEVICE]] has the taint KEY[=VALUE]:EFFECT"},
    {ChangeKind::kUpgradeDriver,
     "--upgrade-driver FILE",
     "the ResourceSlices in the file replace those of their drivers"}};

struct Change {
  ChangeKind kind;
  std::string text;
};

struct WhatIfOptions {
  OfflineInputOptions input;       // its paths: the cluster
  std::optional<size_t> replicas;  // of each pod of the work, and of each workload
  bool max = false;                // how often the work fits
  bool defragment = false;
  std::vector<Change> changes;  // in the order in which they were given
  bool all = false;
  std::string format = "text";
};

struct Work {
  std::set<std::string> what;  // "pod a/b", "claim a/c"
  std::vector<planning::PlacedObject> pods;
};

/// A Job as it is when somebody lets it run; others as they are.
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

/// Which of all objects the work is. Workloads become pods, which are added to the objects.
/// Errors: kBadRequest  a workload has too many.
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

/// "node=3".
Result<std::pair<std::string, size_t>> NodeAndCount(const std::string& text) {
  const size_t equals = text.rfind('=');
  size_t count = 0;
  const char* const end = text.data() + text.size();
  const bool is_read = equals != std::string::npos && equals > 0 &&
                       std::from_chars(text.data() + equals + 1, end, count).ptr == end &&
                       equals + 1 < text.size();
  if (is_read) return std::pair(text.substr(0, equals), count);
  return Fail(StatusReason::kBadRequest, fmt::format("--add-nodes: {:?} is not NODE=COUNT", text));
}

/// Pods that have to find a place because of a change.
using Moved = Result<std::vector<std::string>>;

Result<> AddNodes(World& world, const std::string& text, planning::OfflineObjects& objects) {
  DRAY_TRY(const auto added, NodeAndCount(text));
  const auto& [name, count] = added;
  if (objects.nodes.contains(name) || !node::HasProfile(name)) {
    return planning::AddNodesLike(objects, name, count);
  }
  if (count > planning::kCopiesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} nodes more: at most {}", count, planning::kCopiesMax));
  }
  size_t made = 0;
  for (size_t number = 0; made < count; ++number) {
    DRAY_TRY(node::SimulatedNode simulated, node::MakeNode(name, number));
    if (objects.nodes.contains(simulated.node.metadata.name)) continue;
    std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
    slices.reserve(simulated.slices.size());
    for (auto& slice : simulated.slices) {
      slices.push_back(api::FrozenOf<api::resource_v1::ResourceSlice>(
          planning::AsStored(world, api::Object::Of(std::move(slice)), kDefaultNamespace)));
    }
    DRAY_TRY_VOID(planning::AddNode(
        objects,
        planning::AsStored(world, api::Object::Of(std::move(simulated.node)), kDefaultNamespace),
        std::move(slices)));
    ++made;
  }
  return {};
}

bool AddsNodes(ChangeKind kind) {
  return kind == ChangeKind::kLike || kind == ChangeKind::kAddNodes;
}

Moved Apply(World& world,
            const Change& change,
            const std::string& namespace_,
            planning::OfflineObjects& objects) {
  switch (change.kind) {
    case ChangeKind::kDelete:
      DRAY_TRY_VOID(planning::Delete(objects, change.text, namespace_));
      return std::vector<std::string>();
    case ChangeKind::kDrain: return planning::Drain(objects, change.text);
    case ChangeKind::kRemoveNode: return planning::RemoveNode(objects, change.text);
    case ChangeKind::kTaint: {
      Moved moved = planning::AddTaint(objects, change.text);
      if (moved) return moved;
      return Fail(moved.error().reason, fmt::format("--taint: {}", moved.error().message));
    }
    case ChangeKind::kUpgradeDriver: {
      const api::Scheme scheme;
      const std::string* const file = &change.text;
      DRAY_TRY(manifests::Manifests read, manifests::ReadManifests(world.disk, scheme, {file, 1}));
      Moved moved = planning::UpgradeDriver(
          objects, planning::SortManifests(world, std::move(read), namespace_).slices);
      if (moved) return moved;
      return Fail(moved.error().reason,
                  fmt::format("--upgrade-driver {}: {}", change.text, moved.error().message));
    }
    case ChangeKind::kLike:
    case ChangeKind::kAddNodes: break;
  }
  std::set<std::string> before;
  for (const auto& [name, node] : objects.nodes) before.insert(name);
  if (change.kind == ChangeKind::kLike) {
    DRAY_TRY_VOID(planning::AddNodesLike(objects, change.text, 1));
  } else {
    DRAY_TRY_VOID(AddNodes(world, change.text, objects));
  }
  return planning::AddDaemons(world, objects, before);
}

/// Puts copies of the work's pods into the cluster until one does not fit, or somebody ends it.
WhatIfAnswer FillUp(World& world,
                    const Work& work,
                    const Interruption& interruption,
                    planning::OfflineCluster& cluster,
                    Progress& progress) {
  WhatIfAnswer answer;
  size_t copies = 0;
  answer.copies = 0;
  while (copies < planning::kCopiesMax) {
    progress.Now(fmt::format("{} fit so far", copies));
    std::vector<std::string> nodes;
    for (const planning::PlacedObject& pod : work.pods) {
      const std::string name = fmt::format("{}-{}", pod.object.metadata().name, copies + 1);
      const planning::OfflineAnswer placed = cluster.AddPod(planning::CopyOf(world, pod, name));
      if (placed.verdict == planning::Verdict::kFits) {
        nodes.push_back(placed.node);
        continue;
      }
      answer.is_cut_short = interruption.came();
      if (answer.is_cut_short) return answer;
      if (auto reason = cluster.Explain(placed.what)) answer.reasons.push_back(*std::move(reason));
      return answer;
    }
    for (const std::string& node : nodes) ++answer.by_node[node];
    answer.copies = ++copies;
    answer.is_cut_short = interruption.came();
    if (answer.is_cut_short) return answer;
  }
  return answer;
}

WhatIfAnswer PlaceAll(const Interruption& interruption,
                      planning::OfflineCluster& cluster,
                      Progress& progress) {
  WhatIfAnswer answer;
  answer.placed = cluster.AllocateAll();
  answer.is_cut_short = interruption.came();
  for (const planning::OfflineAnswer& one : answer.placed) {
    if (one.verdict == planning::Verdict::kFits) continue;
    progress.Now("explaining " + one.what);
    if (auto reason = cluster.Explain(one.what)) answer.reasons.push_back(*std::move(reason));
  }
  return answer;
}

/// Whether there is something to be decided. Errors: kBadRequest  no, and why.
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

/// What to do where nothing waited for devices. Errors: kBadRequest  the work has what it wants.
Result<> CheckDecided(const WhatIfOptions& options,
                      const planning::OfflineCluster& cluster,
                      const WhatIfAnswer& answer,
                      const Output& output) {
  if (answer.copies.has_value() || answer.is_cut_short || !answer.placed.empty()) return {};
  if (options.input.work.empty()) {
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
  if (answer.copies.has_value() && *answer.copies > 0) return kExitYes;
  if (answer.copies.has_value() && answer.reasons.empty()) return kExitUndecided;
  return ExitCodeOf(
      answer.copies.has_value() ? VerdictsOf(answer.reasons) : VerdictsOf(answer.placed),
      answer.is_cut_short);
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

/// The exit code. Errors: bad options or unreadable input.
Result<int> RunWhatIf(World& world, const WhatIfOptions& options, const Output& output) {
  OfflineInputOptions everything = options.input;
  everything.is_live = everything.is_live || everything.paths.empty();
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, everything, output));
  if (!input.is_known) {
    return Fail(StatusReason::kBadRequest,
                "nothing was decided: the files of --cluster hold no objects that Dray knows");
  }
  DRAY_TRY(Work work, WorkOf(world, options, input, output));
  DRAY_TRY_VOID(CheckAsked(options, work, !options.changes.empty()));
  if (work.what.empty() && options.changes.empty()) {
    output.Notes(std::vector<std::string>{"the files of -f hold no pod, no claim and no workload"});
    return kExitYes;
  }
  NoteWhatLacks(input.objects, output);
  std::set<std::string> daemons;  // of nodes that are new: they are there before the work
  for (const Change& change : options.changes) {
    DRAY_TRY(const std::vector<std::string> moved,
             Apply(world, change, input.namespace_, input.objects));
    work.what.insert(moved.begin(), moved.end());
    if (AddsNodes(change.kind)) daemons.insert(moved.begin(), moved.end());
  }
  const Interruption interruption;
  allocator::SharedWork searching = SearchWorkOf(options.input);
  Progress progress(output, world.clock);
  planning::OfflineOptions rules = RulesFor(input);
  rules.node = options.input.node;
  rules.budget = {
      .steps_max = options.input.steps_max, .cancelled = &interruption.flag(), .work = &searching};
  rules.only = options.max ? daemons : work.what;
  rules.finds_failures = false;
  rules.begins = [&progress](std::string_view what) { progress.Now(LookingFor(what)); };
  rules.nodes_take_turns = true;
  rules.defragments = options.defragment;
  planning::OfflineCluster cluster(world, std::move(input.objects), std::move(rules));
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  if (options.max && !daemons.empty()) (void)cluster.AllocateAll();
  const WhatIfAnswer answer = options.max ? FillUp(world, work, interruption, cluster, progress)
                                          : PlaceAll(interruption, cluster, progress);
  progress.Clear();
  DRAY_TRY_VOID(CheckDecided(options, cluster, answer, output));
  Print(options, answer, output);
  NoteWorkSpent(options.input, searching, output);
  if (answer.is_cut_short) NoteCutShort(output);
  return ExitCodeOf(CodeOf(answer), input, output);
}

void AddChanges(Command& command, WhatIfOptions& options) {
  Option& replicas = command
                         .Number("--replicas",
                                 options.replicas,
                                 "ask about NUMBER of each pod and workload (DaemonSets excepted)")
                         .Between(1, planning::kCopiesMax);
  Option& max =
      command
          .Flag(
              "--max", options.max, "how many copies of the work fit, and what the next one lacks")
          .Excludes(replicas);
  command
      .Flag("--defragment",
            options.defragment,
            "where it does not fit, which pods would have to move so that it does")
      .Excludes(max);
  for (const ChangeOption& change : kChanges) {
    command
        .Texts(
            change.synopsis,
            [&options, kind = change.kind](const std::string& text) {
              options.changes.push_back({kind, text});
            },
            fmt::format("{}; repeatable", change.help))
        .InGroup("Changes, in the order given");
  }
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
  command.Text("-n, --namespace NAMESPACE",
               options->input.namespace_,
               "the namespace of objects that name none");
  command.Flag("--all", options->all, "do not cut long lists short");
  command.Text("-o, --output", options->format, "text, json, yaml, junit, sarif or github")
      .OneOf({"text", "json", "yaml", "junit", "sarif", "github"})
      .ShowsDefault();
  command.Notes(
      "The work: pods, claims that none of them uses, and workloads (Deployment, ReplicaSet, "
      "StatefulSet, DaemonSet, Job, CronJob, ReplicationController), which are asked about as the "
      "pods that they run. What waits in the cluster already is left waiting. Changes happen in "
      "the "
      "order given, before the work comes. Nothing is written anywhere.\n"
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

}  // namespace dray::cli
