// SPDX-License-Identifier: Apache-2.0
// Uses paths instead of the structs of each kind: a Deployment and a ReplicaSet have their template
// at the same place.
#include "server/documents/workload_cells.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/at_path.h"
#include "api/meta_v1/object_meta.h"
#include "api/value/int_or_string.h"
#include "server/documents/cell_text.h"
#include "server/documents/human_duration.h"

namespace dray::server::documents {
namespace {

using api::CountAt;
using api::Get;
using api::NumberAt;
using api::Object;
using api::TextAt;

// -------------------------------------------------------------------------------------- templates

// Where the pods of a workload are described.
std::string TemplatePath(const Object& object) {
  constexpr std::array<std::string_view, 3> kPaths = {
      "spec.template", "spec.jobTemplate.spec.template", "template"};
  for (const std::string_view path : kPaths) {
    if (api::AtPath(object, path).value != nullptr) return std::string(path);
  }
  return "template";
}

std::string OfTemplate(const Object& object, std::string_view part) {
  return fmt::format("{}.{}", TemplatePath(object), part);
}

std::string Containers(const Object& object, WallTime) {
  return JsonCell(Joined(TextsOf(object, OfTemplate(object, "spec.containers"), "name")));
}

std::string Images(const Object& object, WallTime) {
  return JsonCell(Joined(TextsOf(object, OfTemplate(object, "spec.containers"), "image")));
}

std::string NodeSelector(const Object& object, WallTime) {
  return JsonCell(SelectorText(object, OfTemplate(object, "spec.nodeSelector")));
}

std::string PodLabels(const Object& object, WallTime) {
  return JsonCell(SelectorText(object, OfTemplate(object, "metadata.labels")));
}

std::string Selector(const Object& object, WallTime) {
  const bool is_cron = object.kind().kind == "CronJob";
  return JsonCell(
      SelectorText(object, is_cron ? "spec.jobTemplate.spec.selector" : "spec.selector"));
}

// --------------------------------------------------------------------------------------- replicas

std::string Desired(const Object& object, WallTime) {
  return fmt::format("{}", NumberAt(object, "spec.replicas"));
}

std::string Ready(const Object& object, WallTime) {
  return JsonCell(fmt::format(
      "{}/{}", NumberAt(object, "status.readyReplicas"), NumberAt(object, "spec.replicas")));
}

std::string Controller(const Object& object, WallTime) {
  const auto& owners = object.metadata().owner_references;
  const auto found = std::ranges::find_if(
      owners, [](const auto& owner) { return owner.controller.value_or(false); });
  if (found == owners.end()) return JsonCell(kNone);
  const size_t slash = found->api_version.find('/');
  std::string kind = found->kind;
  if (slash != std::string::npos) kind += "." + found->api_version.substr(0, slash);
  std::ranges::transform(kind, kind.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return JsonCell(kind + "/" + found->name);
}

// ------------------------------------------------------------------------------------------- jobs

bool HasCondition(const Object& object, std::string_view type) {
  return std::ranges::any_of(api::ElementsAt(object, "status.conditions"),
                             [&](const api::Found& condition) {
                               const api::Found name = api::AtPath(condition, "type");
                               const api::Found status = api::AtPath(condition, "status");
                               return *static_cast<const std::string*>(name.value) == type &&
                                      *static_cast<const std::string*>(status.value) == "True";
                             });
}

std::string JobStatus(const Object& object, WallTime) {
  constexpr std::array<std::string_view, 2> kEnded = {"Complete", "Failed"};
  for (const std::string_view type : kEnded) {
    if (HasCondition(object, type)) return JsonCell(type);
  }
  if (object.metadata().deletion_timestamp.has_value()) return JsonCell("Terminating");
  constexpr std::array<std::string_view, 3> kUnderWay = {
      "Suspended", "FailureTarget", "SuccessCriteriaMet"};
  for (const std::string_view type : kUnderWay) {
    if (HasCondition(object, type)) return JsonCell(type);
  }
  return JsonCell("Running");
}

std::string Completions(const Object& object, WallTime) {
  const int64_t succeeded = NumberAt(object, "status.succeeded");
  if (const auto* wanted = Get<int32_t>(object, "spec.completions")) {
    return JsonCell(fmt::format("{}/{}", succeeded, *wanted));
  }
  const int64_t parallel = NumberAt(object, "spec.parallelism");
  if (parallel > 1) return JsonCell(fmt::format("{}/1 of {}", succeeded, parallel));
  return JsonCell(fmt::format("{}/1", succeeded));
}

std::string Duration(const Object& object, WallTime now) {
  const auto* start = Get<api::Time>(object, "status.startTime");
  if (start == nullptr) return JsonCell("");
  const auto* end = Get<api::Time>(object, "status.completionTime");
  const api::Time until = end == nullptr ? api::Time::Of(now) : *end;
  return JsonCell(HumanDuration(until.unix_seconds() - start->unix_seconds()));
}

std::string Zone(const Object& object, WallTime) {
  return JsonCell(TextOr(TextAt(object, "spec.timeZone"), kNone));
}

std::string Active(const Object& object, WallTime) {
  return fmt::format("{}", CountAt(object, "status.active"));
}

std::string LastSchedule(const Object& object, WallTime now) {
  const auto* last = Get<api::Time>(object, "status.lastScheduleTime");
  return JsonCell(last == nullptr ? std::string(kNone) : AgeText(*last, now));
}

// ------------------------------------------------------------------------- autoscalers and budgets

std::string Reference(const Object& object, WallTime) {
  return JsonCell(fmt::format("{}/{}",
                              TextAt(object, "spec.scaleTargetRef.kind"),
                              TextAt(object, "spec.scaleTargetRef.name")));
}

// The target of each metric; the measured value is unknown, because this server does not measure.
std::string Targets(const Object& object, WallTime) {
  std::vector<std::string> targets;
  for (const api::Found& metric : api::ElementsAt(object, "spec.metrics")) {
    const api::Found name = api::AtPath(metric, "resource.name");
    const api::Found percent = api::AtPath(metric, "resource.target.averageUtilization");
    if (name.value == nullptr || percent.value == nullptr) {
      targets.emplace_back("<unknown>");
      continue;
    }
    targets.push_back(fmt::format("{}: <unknown>/{}%",
                                  *static_cast<const std::string*>(name.value),
                                  *static_cast<const int32_t*>(percent.value)));
  }
  // autoscaling/v1 knows one metric only.
  if (const auto* percent = Get<int32_t>(object, "spec.targetCPUUtilizationPercentage")) {
    targets.push_back(fmt::format("cpu: <unknown>/{}%", *percent));
  }
  if (targets.empty()) return JsonCell(kNone);
  return JsonCell(fmt::format("{}", fmt::join(targets, ", ")));
}

std::string MinPods(const Object& object, WallTime) {
  const auto* least = Get<int32_t>(object, "spec.minReplicas");
  return JsonCell(least == nullptr ? std::string(kUnset) : fmt::format("{}", *least));
}

std::string NumberOrNone(const Object& object, std::string_view path) {
  const auto* value = Get<api::IntOrString>(object, path);
  return JsonCell(value == nullptr ? "N/A" : value->ToString());
}

std::string MinAvailable(const Object& object, WallTime) {
  return NumberOrNone(object, "spec.minAvailable");
}

std::string MaxUnavailable(const Object& object, WallTime) {
  return NumberOrNone(object, "spec.maxUnavailable");
}

// ------------------------------------------------------------------------------------------ roles

std::string Role(const Object& object, WallTime) {
  return JsonCell(
      fmt::format("{}/{}", TextAt(object, "roleRef.kind"), TextAt(object, "roleRef.name")));
}

std::string Subjects(const Object& object, std::string_view kind) {
  std::vector<std::string> names;
  for (const api::Found& subject : api::ElementsAt(object, "subjects")) {
    if (TextIn(subject, "kind") != kind) continue;
    const bool is_account = kind == "ServiceAccount";
    names.push_back(is_account ? TextIn(subject, "namespace") + "/" + TextIn(subject, "name")
                               : TextIn(subject, "name"));
  }
  return JsonCell(fmt::format("{}", fmt::join(names, ", ")));
}

std::string Users(const Object& object, WallTime) {
  return Subjects(object, "User");
}

std::string Groups(const Object& object, WallTime) {
  return Subjects(object, "Group");
}

std::string Accounts(const Object& object, WallTime) {
  return Subjects(object, "ServiceAccount");
}

std::string DataCount(const Object& object, WallTime) {
  return fmt::format("{}", CountAt(object, "data") + CountAt(object, "binaryData"));
}

struct NamedWorkloadCell {
  std::string_view name;
  std::string (*cell)(const Object& object, WallTime now);
};

std::string GroupPolicy(const Object& object, WallTime) {
  return JsonCell(api::AtPath(object, "spec.schedulingPolicy.gang").value == nullptr ? "Basic"
                                                                                     : "Gang");
}

std::string GroupStatus(const Object& object, WallTime) {
  if (HasCondition(object, "DisruptionTarget")) return JsonCell("PreemptionByScheduler");
  if (HasCondition(object, "PodGroupInitiallyScheduled")) return JsonCell("Scheduled");
  return JsonCell(CountAt(object, "status.conditions") == 0 ? "Pending" : "Unschedulable");
}

constexpr NamedWorkloadCell kWorkloadCells[] = {
    {"autoscaler-min", MinPods},
    {"autoscaler-reference", Reference},
    {"autoscaler-targets", Targets},
    {"binding-accounts", Accounts},
    {"binding-groups", Groups},
    {"binding-role", Role},
    {"binding-users", Users},
    {"budget-max-unavailable", MaxUnavailable},
    {"budget-min-available", MinAvailable},
    {"controller", Controller},
    {"cron-job-active", Active},
    {"cron-job-last", LastSchedule},
    {"cron-job-zone", Zone},
    {"data-count", DataCount},
    {"job-completions", Completions},
    {"job-duration", Duration},
    {"job-status", JobStatus},
    {"pod-group-policy", GroupPolicy},
    {"pod-group-status", GroupStatus},
    {"replicas-desired", Desired},
    {"replicas-ready", Ready},
    {"template-containers", Containers},
    {"template-images", Images},
    {"template-labels", PodLabels},
    {"template-node-selector", NodeSelector},
    {"template-selector", Selector},
};

}  // namespace

std::optional<std::string> WorkloadCell(std::string_view compute,
                                        const Object& object,
                                        WallTime now) {
  const auto* const found = std::ranges::find(kWorkloadCells, compute, &NamedWorkloadCell::name);
  if (found == std::end(kWorkloadCells)) return std::nullopt;
  return found->cell(object, now);
}

}  // namespace dray::server::documents
