// SPDX-License-Identifier: Apache-2.0
#include "server/registry/definition_conditions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dray::server::registry {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;
using api::apiextensions_v1::CustomResourceDefinitionCondition;
using api::apiextensions_v1::CustomResourceDefinitionNames;

constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

const CustomResourceDefinitionCondition* Find(const CustomResourceDefinition& definition,
                                              std::string_view type) {
  const auto& conditions = definition.status.conditions;
  const auto found = std::ranges::find(conditions, type, &CustomResourceDefinitionCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool Is(const CustomResourceDefinition& definition, std::string_view type, bool value) {
  const auto* condition = Find(definition, type);
  return condition != nullptr && condition->status == (value ? "True" : "False");
}

struct Said {
  std::string_view type;
  bool is_true;
  std::string_view reason;
  std::string message;
};

// The time changes with the status alone.
void Say(const Said& said, api::Time now, CustomResourceDefinition& definition) {
  auto& conditions = definition.status.conditions;
  auto found = std::ranges::find(conditions, said.type, &CustomResourceDefinitionCondition::type);
  if (found == conditions.end()) {
    conditions.emplace_back().type = said.type;
    found = conditions.end() - 1;
  }
  const std::string_view status = said.is_true ? "True" : "False";
  if (found->status != status) found->last_transition_time = now;
  found->status = status;
  found->reason = said.reason;
  found->message = said.message;
}

// Names that the kinds of other definitions have.
struct Taken {
  std::vector<std::string_view> resources, kinds;
};

Taken TakenBy(std::span<const CustomResourceDefinition* const> others) {
  Taken taken;
  for (const CustomResourceDefinition* other : others) {
    const CustomResourceDefinitionNames& names = other->status.accepted_names;
    for (const std::string* name : {&names.plural, &names.singular})
      taken.resources.push_back(*name);
    for (const std::string& name : names.short_names) taken.resources.push_back(name);
    for (const std::string* name : {&names.kind, &names.list_kind}) taken.kinds.push_back(*name);
  }
  return taken;
}

bool Has(const std::vector<std::string_view>& names, std::string_view name) {
  return !name.empty() && std::ranges::find(names, name) != names.end();
}

// The names that `definition` has now, and why not all that it asks for.
struct Naming {
  CustomResourceDefinitionNames names;
  std::optional<Said> conflict;
};

Naming NameIt(const CustomResourceDefinition& definition, const Taken& taken) {
  const CustomResourceDefinitionNames& asked = definition.spec.names;
  Naming naming{.names = definition.status.accepted_names, .conflict = std::nullopt};
  const auto conflict = [&](std::string_view reason, std::string_view name) {
    naming.conflict =
        Said{"NamesAccepted", false, reason, fmt::format("\"{}\" is already in use", name)};
  };
  const auto take = [&](const std::vector<std::string_view>& in_use,
                        std::string_view reason,
                        const std::string& name,
                        std::string& accepted) {
    if (Has(in_use, name)) return conflict(reason, name);
    accepted = name;
  };
  take(taken.resources, "PluralConflict", asked.plural, naming.names.plural);
  take(taken.resources, "SingularConflict", asked.singular, naming.names.singular);
  bool has_short_conflict = false;
  for (const std::string& name : asked.short_names) {
    if (!Has(taken.resources, name)) continue;
    conflict("ShortNamesConflict", name);
    has_short_conflict = true;
  }
  if (!has_short_conflict) naming.names.short_names = asked.short_names;
  take(taken.kinds, "KindConflict", asked.kind, naming.names.kind);
  take(taken.kinds, "ListKindConflict", asked.list_kind, naming.names.list_kind);
  naming.names.categories = asked.categories;
  return naming;
}

}  // namespace

bool IsServed(const CustomResourceDefinition& definition) {
  return Is(definition, "NamesAccepted", true) || Is(definition, "Established", true);
}

std::optional<CustomResourceDefinition> NextStatus(
    const CustomResourceDefinition& definition,
    std::span<const CustomResourceDefinition* const> others,
    api::Time now) {
  CustomResourceDefinition next = definition;
  const Naming naming = NameIt(definition, TakenBy(others));
  next.status.accepted_names = naming.names;
  const bool is_accepted = !naming.conflict.has_value();
  Say(is_accepted ? Said{"NamesAccepted", true, "NoConflicts", "no conflicts found"}
                  : *naming.conflict,
      now,
      next);
  const bool was_established = Is(definition, "Established", true);
  if (!was_established) {
    Say(is_accepted
            ? Said{"Established", false, "Installing", "the initial names have been accepted"}
            : Said{"Established", false, "NotAccepted", "not all names are accepted"},
        now,
        next);
  }
  if (!(next.status == definition.status)) return next;
  if (is_accepted && !was_established) {
    Say({"Established", true, "InitialNamesAccepted", "the initial names have been accepted"},
        now,
        next);
    return next;
  }
  const auto* terminating = Find(definition, "Terminating");
  if (HoldsObjects(definition) && terminating != nullptr &&
      terminating->reason == "InstanceDeletionPending") {
    Say({"Terminating",
         true,
         "InstanceDeletionInProgress",
         "CustomResource deletion is in progress"},
        now,
        next);
    return next;
  }
  return std::nullopt;
}

bool HoldsObjects(const CustomResourceDefinition& definition) {
  const api::meta_v1::ObjectMeta& meta = definition.metadata;
  return meta.deletion_timestamp.has_value() &&
         std::ranges::find(meta.finalizers, kCleanup) != meta.finalizers.end();
}

CustomResourceDefinition Emptied(CustomResourceDefinition definition, api::Time now) {
  Say({"Terminating", false, "InstanceDeletionCompleted", "removed all instances"},
      now,
      definition);
  std::erase(definition.metadata.finalizers, kCleanup);
  return definition;
}

void MarkDeleted(CustomResourceDefinition& definition) {
  api::meta_v1::ObjectMeta& meta = definition.metadata;
  if (Find(definition, "Terminating") != nullptr) return;
  meta.deletion_grace_period_seconds.reset();
  --meta.generation;  // the spec is as it was
  if (std::ranges::find(meta.finalizers, kCleanup) == meta.finalizers.end()) {
    meta.finalizers.emplace_back(kCleanup);
  }
  Say({"Terminating",
       true,
       "InstanceDeletionPending",
       "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"},
      meta.deletion_timestamp.value_or(api::Time()),
      definition);
}

}  // namespace dray::server::registry
