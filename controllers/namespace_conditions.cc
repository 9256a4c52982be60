// SPDX-License-Identifier: Apache-2.0
#include "controllers/namespace_conditions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dray::controllers {
namespace {

using api::core_v1::NamespaceCondition;
using api::core_v1::NamespaceStatus;

struct Reported {
  std::string_view type, reason;
  std::string message;
  bool holds = false;  // the namespace up
};

std::string Counted(const std::map<std::string, size_t>& counts, std::string_view what) {
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [name, count] : counts) {
    texts.push_back(fmt::format("{} {} {} resource instances", name, what, count));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<Reported> ReportAll(const NamespaceLeftovers& leftovers) {
  std::vector<Reported> all = {
      {"NamespaceDeletionDiscoveryFailure",
       "ResourcesDiscovered",
       "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure",
       "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure",
       "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      {"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"},
      {"NamespaceFinalizersRemaining",
       "ContentHasNoFinalizers",
       "All content-preserving finalizers finished"}};
  if (!leftovers.failed_deletions.empty()) {
    std::vector<std::string> failures = leftovers.failed_deletions;
    std::ranges::sort(failures);
    all[2] = {all[2].type,
              "ContentDeletionFailed",
              fmt::format("Failed to delete all resource types, {} remaining: {}",
                          failures.size(),
                          fmt::join(failures, ", ")),
              true};
  }
  if (!leftovers.resources.empty()) {
    all[3] = {all[3].type,
              "SomeResourcesRemain",
              "Some resources are remaining: " + Counted(leftovers.resources, "has"),
              true};
  }
  if (!leftovers.finalizers.empty()) {
    all[4] = {all[4].type,
              "SomeFinalizersRemain",
              "Some content in the namespace has finalizers remaining: " +
                  Counted(leftovers.finalizers, "in"),
              true};
  }
  return all;
}

}  // namespace

bool SetConditions(NamespaceStatus& status, const NamespaceLeftovers& leftovers, api::Time now) {
  bool is_changed = false;
  for (const Reported& reported : ReportAll(leftovers)) {
    const std::string_view value = reported.holds ? "True" : "False";
    auto known = std::ranges::find(status.conditions, reported.type, &NamespaceCondition::type);
    if (known == status.conditions.end()) {
      known = status.conditions.insert(known, {.type = std::string(reported.type)});
    } else if (known->status == value && known->reason == reported.reason &&
               known->message == reported.message) {
      continue;
    }
    if (known->status != value) known->last_transition_time = now;
    known->status = value;
    known->reason = reported.reason;
    known->message = reported.message;
    is_changed = true;
  }
  return is_changed;
}

}  // namespace dray::controllers
