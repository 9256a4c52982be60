// SPDX-License-Identifier: Apache-2.0
#include "cli/questions/planned_work.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/batch_v1/job.h"
#include "api/core_v1/pod.h"
#include "base/try.h"
#include "cli/questions/count_devices.h"
#include "cli/terminal/progress.h"
#include "manifests/objects.h"
#include "manifests/pod_templates.h"
#include "planning/capacity/device_changes.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/queued_pods.h"
#include "planning/objects/wanted_pods.h"
#include "planning/objects/workloads.h"

namespace dray::cli::inline questions {
namespace {

struct Work {
  std::set<std::string> what;  // "pod a/b", "claim a/c"
  std::vector<planning::PlacedObject> pods;
};

/// A suspended Job as it is after its resumption; other workloads unchanged.
api::Object Resumed(const api::Object& workload, const WorkSearch& search) {
  const auto* const job = workload.If<api::batch_v1::Job>();
  if (job == nullptr || !job->spec.suspend.value_or(false)) return workload;
  search.note(fmt::format("{} is suspended: this is what it would get when it is resumed",
                          manifests::WrittenNameOf(workload)));
  api::Object resumed = workload.Clone();
  resumed.Mutable<api::batch_v1::Job>().spec.suspend = false;
  return resumed;
}

/// Errors: kBadRequest  the work has too many pods.
Result<> CheckPods(const WorkQuestion& question, size_t pods) {
  if (pods <= question.pods_max) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("the work has more than {} pods", question.pods_max));
}

/// Finds the work among all objects. Adds the pods of workloads to the objects. Errors:
/// kBadRequest  a workload or the question has too many.
Result<Work> WorkOf(World& world,
                    const WorkQuestion& question,
                    OfflineInput& input,
                    const WorkSearch& search) {
  Work work;
  const planning::OfflineObjects own = planning::SortManifests(
      world, {.objects = planning::CopiesOf(input.work), .notes = {}}, input.namespace_);
  work.pods = own.pods;
  DRAY_TRY_VOID(CheckPods(question, work.pods.size()));
  for (const manifests::ManifestObject& manifest : input.work) {
    if (!planning::IsWorkload(manifest.object)) continue;
    const planning::PlacedObject workload{
        Resumed(planning::AsStored(world, manifest.object, input.namespace_), search),
        manifests::PlaceOf(manifest)};
    DRAY_TRY(const std::vector<planning::PlacedObject> pods,
             planning::PodsOf(world, workload, input.objects.nodes, question.replicas));
    DRAY_TRY_VOID(CheckPods(question, work.pods.size() + pods.size()));
    std::ranges::copy(pods, std::back_inserter(work.pods));
    std::ranges::copy(pods, std::back_inserter(input.objects.pods));
  }
  for (const planning::PlacedObject& pod : work.pods)
    work.what.insert("pod " + api::ObjectKey(pod.object.metadata()));
  for (const std::string& claim : own.claim_order) work.what.insert("claim " + claim);
  if (!question.replicas.has_value()) return work;
  DRAY_TRY_VOID(CheckPods(question, work.pods.size() + own.pods.size() * (*question.replicas - 1)));
  for (size_t i = 1; i < *question.replicas; ++i) {
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

/// The rules, and how the search is followed and ended.
struct Asking {
  World& world;
  const planning::OfflineOptions& rules;
  const WorkSearch& search;

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
    asking.search.now("explaining " + one.what);
    if (auto reason = cluster.Explain(one.what)) answer.reasons.push_back(*std::move(reason));
  }
}

/// Adds copies of the work's pods to the cluster until one does not fit, `pods_max` are there, or
/// the search is ended.
void FillUp(const Asking& asking,
            const Work& work,
            size_t pods_max,
            planning::OfflineCluster& cluster,
            WhatIfAnswer& answer) {
  size_t copies = 0;
  answer.copies = 0;
  const size_t copies_max = std::min(planning::kCopiesMax, pods_max / work.pods.size());
  while (copies < copies_max && !answer.is_cut_short) {
    asking.search.now(fmt::format("{} fit so far", copies));
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
  if (copies == copies_max && copies < planning::kCopiesMax)
    asking.search.note(fmt::format("more copies were not tried: they have {} pods", pods_max));
}

std::string NoWorkIn(const WorkQuestion& question) {
  return fmt::format("{} hold no pod, no claim and no workload", question.work_source);
}

/// Checks that there is something to decide. Errors: kBadRequest  why there is not.
Result<> CheckAsked(const OfflineInputOptions& options,
                    const WorkQuestion& question,
                    const Work& work) {
  const auto refuse = [](std::string_view why) -> Result<> {
    return Fail(StatusReason::kBadRequest, fmt::format("nothing was decided: {}", why));
  };
  if (!question.has_work && question.changes.empty())
    return refuse("neither work (-f) nor a change is named");
  if (question.max && work.pods.empty()) return refuse("--max: the work has no pod");
  if (question.has_work && work.what.empty() && !options.allows_nothing)
    return refuse(NoWorkIn(question));
  return {};
}

/// Handles work without requests for devices. Errors: kBadRequest  the work has its devices
/// already.
Result<> CheckDecided(const OfflineInputOptions& options,
                      const WorkQuestion& question,
                      const planning::OfflineCluster& cluster,
                      const WhatIfAnswer& answer,
                      const WorkSearch& search) {
  if (answer.copies.has_value() || answer.is_cut_short || !answer.placed.empty()) return {};
  if (!question.has_work) {
    if (answer.queued.pods == 0) search.note("no pod has to look for another place");
    return {};
  }
  const std::vector<planning::LeftOut> left_out = cluster.NotDecided();
  std::string why = "nothing of the work waits for devices";
  if (!left_out.empty())
    why += fmt::format(
        ": {} {}{}", left_out[0].what, left_out[0].why, left_out.size() == 1 ? "" : ", …");
  if (!options.allows_nothing)
    return Fail(StatusReason::kBadRequest, "nothing was decided: " + why);
  search.note(std::move(why));
  return {};
}

planning::DeviceFacts FactsOf(const planning::OfflineObjects& objects) {
  return {.slices = objects.slices, .claims = ClaimsOf(objects), .nodes = objects.nodes};
}

}  // namespace

Result<std::optional<WhatIfAnswer>> PlanWork(World& world,
                                             const OfflineInputOptions& options,
                                             OfflineInput& input,
                                             const WorkQuestion& question,
                                             const WorkSearch& search) {
  DRAY_TRY(const Work work, WorkOf(world, question, input, search));
  DRAY_TRY_VOID(CheckAsked(options, question, work));
  if (work.what.empty() && question.changes.empty()) {
    search.note(NoWorkIn(question));
    return std::optional<WhatIfAnswer>();
  }
  for (std::string& lack : WhatLacks(input.objects)) search.note(std::move(lack));
  Agenda agenda = AgendaFor(input, work, question.max);
  planning::DeviceFacts before_changes;
  if (question.lists_devices) before_changes = FactsOf(input.objects);
  planning::OfflineOptions rules = RulesFor(input);
  DRAY_TRY(Changed changed,
           MakeChanges(world,
                       question.changes,
                       {.default_namespace = input.namespace_,
                        .nodes_max = question.nodes_max,
                        .objects_max = question.objects_max},
                       input.objects));
  agenda.asked.insert(changed.moved.begin(), changed.moved.end());
  agenda.asked.insert(changed.daemons.begin(), changed.daemons.end());
  rules.node = options.node;
  rules.budget = {
      .steps_max = options.steps_max, .cancelled = search.cancelled, .work = search.work};
  rules.only = agenda.asked;
  rules.queued = agenda.queued;
  rules.finds_failures = false;
  rules.begins = [&search](std::string_view what) { search.now(LookingFor(what)); };
  rules.nodes_take_turns = true;
  rules.defragments = question.defragment;
  planning::DeviceFacts after;  // its claims follow at the end
  if (question.lists_devices) {
    after.slices = input.objects.slices;
    after.nodes = input.objects.nodes;
  }
  planning::OfflineCluster cluster(world, std::move(input.objects), rules);
  cluster.OrderAsQueue(changed.daemons, agenda.queued);
  DRAY_TRY_VOID(CheckNode(options, cluster.NodeNames()));
  const Asking asking{.world = world, .rules = rules, .search = search};
  const std::vector<planning::OfflineAnswer> before = PlaceQueued(asking, agenda);
  WhatIfAnswer answer = PlaceAll(asking, agenda, before, cluster);
  answer.nodes_before = std::move(changed.nodes_before);
  if (question.max) {
    FillUp(asking, work, question.pods_max, cluster, answer);
  } else {
    ExplainPlaced(asking, cluster, answer);
  }
  DRAY_TRY_VOID(CheckDecided(options, question, cluster, answer, search));
  if (question.lists_devices) {
    after.claims = cluster.ClaimsNow();
    DRAY_TRY(answer.devices, planning::DeviceChanges(before_changes, after, input.features));
  }
  return answer;
}

}  // namespace dray::cli::inline questions
