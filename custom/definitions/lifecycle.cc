// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/lifecycle.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/approval.h"
#include "custom/definitions/conditions.h"
#include "custom/definitions/conversion_settings.h"
#include "custom/definitions/is_in.h"
#include "custom/definitions/structural.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

using Names = api::apiextensions_v1::CustomResourceDefinitionNames;

Condition Say(std::string_view type,
              std::string_view status,
              std::string_view reason,
              std::string message) {
  Condition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = reason;
  condition.message = std::move(message);
  return condition;
}

Definition With(const Definition& definition, Condition condition, WallTime now) {
  Definition next = definition;
  SetCondition(std::move(condition), now, next);
  return next;
}

// ------------------------------------------------------------------------------------------ names

/// Takes one name after the other from the spec, and remembers the last that was taken by another.
class NamesChoice {
 public:
  NamesChoice(const Definition& definition, const UsedNames& used)
      : wanted_(definition.spec.names), accepted_(definition.status.accepted_names), used_(used) {}

  void Run() {
    Resource(&Names::plural, "PluralConflict");
    Resource(&Names::singular, "SingularConflict");
    ShortNames();
    Kind(&Names::kind, "KindConflict");
    Kind(&Names::list_kind, "ListKindConflict");
    accepted_.categories = wanted_.categories;
  }

  Condition condition() const {
    if (reason_.empty()) return Say(kNamesAccepted, "True", "NoConflicts", "no conflicts found");
    return Say(kNamesAccepted, "False", reason_, message_);
  }
  const Names& accepted() const { return accepted_; }

 private:
  static std::string InUse(std::string_view name) {
    return fmt::format("{} is already in use", api::GoQuote(name));
  }

  void Refuse(std::string_view reason, std::string message) {
    reason_ = reason;
    message_ = std::move(message);
  }

  void Resource(std::string Names::* name, std::string_view reason) {
    Choose(name, used_.HasResource(wanted_.*name), reason);
  }
  void Kind(std::string Names::* name, std::string_view reason) {
    Choose(name, used_.HasKind(wanted_.*name), reason);
  }
  void Choose(std::string Names::* name, bool is_used, std::string_view reason) {
    if (wanted_.*name != accepted_.*name && is_used) {
      Refuse(reason, InUse(wanted_.*name));
    } else {
      accepted_.*name = wanted_.*name;
    }
  }

  void ShortNames() {
    if (wanted_.short_names == accepted_.short_names) return;
    const std::set<std::string_view> own(accepted_.short_names.begin(),
                                         accepted_.short_names.end());
    std::vector<std::string> conflicts;
    for (const std::string& name : wanted_.short_names) {
      if (name.empty() || own.contains(name) || !used_.HasResource(name)) continue;
      if (std::string text = InUse(name); !IsIn(conflicts, text)) {
        conflicts.push_back(std::move(text));
      }
    }
    if (conflicts.empty()) {
      accepted_.short_names = wanted_.short_names;
    } else if (conflicts.size() == 1) {
      Refuse("ShortNamesConflict", conflicts.front());
    } else {
      Refuse("ShortNamesConflict", fmt::format("[{}]", fmt::join(conflicts, ", ")));
    }
  }

  const Names& wanted_;
  Names accepted_;
  const UsedNames& used_;
  std::string reason_;  // of the last conflict
  std::string message_;
};

/// Whether the kind is served, as the controller of names leaves it.
Condition EstablishedAfter(const Definition& definition, const Condition& names) {
  const Condition* old = FindCondition(definition, kEstablished);
  if (old != nullptr && (old->status == "True" || names.status != "True")) return *old;
  if (names.status == "True") {
    return Say(kEstablished, "False", "Installing", "the initial names have been accepted");
  }
  return Say(kEstablished, "False", "NotAccepted", "not all names are accepted");
}

// --------------------------------------------------------------------------------------- deletion

struct Ending {
  Cleanup outcome;
  std::string_view status, reason, message;
};
constexpr Ending kEndings[] = {
    {Cleanup::kCompleted, "False", "InstanceDeletionCompleted", "removed all instances"},
    {Cleanup::kNeverEstablished, "False", "NeverEstablished", "resource was never established"},
    {Cleanup::kOverlapping,
     "False",
     "OverlappingBuiltInResource",
     "instances overlap with built-in resources in storage"},
    {Cleanup::kNotListed, "True", "InstanceDeletionFailed", "could not list instances: "},
    {Cleanup::kNotDeleted, "True", "InstanceDeletionFailed", "could not issue all deletes: "},
    {Cleanup::kNotGone,
     "True",
     "InstanceDeletionCheck",
     "could not confirm zero CustomResources remaining: "},
};

bool HasCleanupFinalizer(const Definition& definition) {
  return IsIn(definition.metadata.finalizers, kCleanupFinalizer);
}

}  // namespace

std::optional<Definition> AcceptNames(const Definition& definition,
                                      const UsedNames& used,
                                      WallTime now) {
  if (definition.spec.names == definition.status.accepted_names) return std::nullopt;
  NamesChoice choice(definition, used);
  choice.Run();
  Condition names = choice.condition();
  const Condition* old = FindCondition(definition, kNamesAccepted);
  if (choice.accepted() == definition.status.accepted_names && old != nullptr &&
      AreAlike(names, *old)) {
    return std::nullopt;
  }
  Definition next = definition;
  next.status.accepted_names = choice.accepted();
  Condition established = EstablishedAfter(definition, names);
  SetCondition(std::move(names), now, next);
  SetCondition(std::move(established), now, next);
  return next;
}

std::optional<Definition> Establish(const Definition& definition,
                                    WallTime now,
                                    const Environment& environment) {
  if (!IsConditionTrue(definition, kNamesAccepted) || IsConditionTrue(definition, kEstablished)) {
    return std::nullopt;
  }
  const std::string& bundle = CaBundleOf(definition);
  const auto check = environment.check_ca_bundle;
  const bool is_good = bundle.empty() || check == nullptr || check(bundle).has_value();
  Condition condition = is_good ? Say(kEstablished,
                                      "True",
                                      "InitialNamesAccepted",
                                      "the initial names have been accepted")
                                : Say(kEstablished,
                                      "False",
                                      "InvalidCABundle",
                                      "The conversion webhook CABundle is invalid");
  const Condition* old = FindCondition(definition, kEstablished);
  if (old != nullptr && AreAlike(*old, condition)) return std::nullopt;
  return With(definition, std::move(condition), now);
}

std::optional<Definition> JudgeApproval(const Definition& definition, WallTime now) {
  if (!IsProtectedGroup(definition.spec.group)) return std::nullopt;
  Approval approval = ReadApproval(definition);
  const auto reason = [&]() -> std::string_view {
    switch (approval.state) {
      case ApprovalState::kInvalid: return "InvalidAnnotation";
      case ApprovalState::kApproved: return "ApprovedAnnotation";
      case ApprovalState::kBypassed: return "UnapprovedAnnotation";
      case ApprovalState::kMissing: return "MissingAnnotation";
    }
    return {};
  };
  const std::string_view status = approval.state == ApprovalState::kApproved ? "True" : "False";
  Condition condition = Say(kApprovalConformant, status, reason(), std::move(approval.text));
  const Condition* old = FindCondition(definition, kApprovalConformant);
  if (old != nullptr && AreAlike(*old, condition)) return std::nullopt;
  return With(definition, std::move(condition), now);
}

namespace {

/// The condition about schemas that are not structural; nothing if all are.
std::optional<Condition> StructureOf(const Definition& definition) {
  api::validation::FieldErrors errors;
  const api::validation::Path spec("spec");
  if (definition.spec.preserve_unknown_fields) {
    errors.Invalid(spec.Child("preserveUnknownFields"), "true", "must be false");
  }
  Patterns patterns;
  const api::validation::Path versions = spec.Child("versions");
  for (size_t i = 0; i < definition.spec.versions.size() && !errors.is_full(); ++i) {
    const CustomResourceDefinitionVersion& version = definition.spec.versions[i];
    const JSONSchemaProps* schema = SchemaOf(version);
    if (schema == nullptr) continue;
    if (const std::string_view unsupported = FindUnsupported(*schema); !unsupported.empty()) {
      return Say(
          kNonStructuralSchema,
          "Unknown",
          "StructuralError",
          fmt::format(
              "failed to check validation schema for version {}: {}", version.name, unsupported));
    }
    const api::validation::Path at = versions.Index(i);
    const api::validation::Path of_schema = at.Child("schema");
    errors.Append(CheckStructural(*schema, of_schema.Child("openAPIV3Schema"), patterns));
  }
  if (errors.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const ErrorCause& cause : std::move(errors).Take()) {
    texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  }
  return Say(kNonStructuralSchema,
             "True",
             "Violations",
             texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", ")));
}

}  // namespace

std::optional<Definition> JudgeStructure(const Definition& definition, WallTime now) {
  std::optional<Condition> condition = StructureOf(definition);
  const Condition* old = FindCondition(definition, kNonStructuralSchema);
  if (condition.has_value()) {
    if (old != nullptr && AreAlike(*old, *condition)) return std::nullopt;
    return With(definition, *std::move(condition), now);
  }
  if (old == nullptr) return std::nullopt;
  Definition next = definition;
  RemoveCondition(kNonStructuralSchema, next);
  return next;
}

std::optional<Definition> NextStatus(const Definition& definition,
                                     const UsedNames& used,
                                     WallTime now,
                                     const Environment& environment) {
  if (auto next = AcceptNames(definition, used, now)) return next;
  if (auto next = Establish(definition, now, environment)) return next;
  return JudgeApproval(definition, now);
}

bool IsServed(const Definition& definition) {
  return IsConditionTrue(definition, kNamesAccepted) || IsConditionTrue(definition, kEstablished);
}

void MarkDeleted(Definition& definition) {
  if (!HasCleanupFinalizer(definition)) {
    definition.metadata.finalizers.emplace_back(kCleanupFinalizer);
  }
  const int64_t seconds =
      definition.metadata.deletion_timestamp.value_or(api::Time()).unix_seconds();
  SetCondition(Say(kTerminating,
                   "True",
                   "InstanceDeletionPending",
                   "CustomResourceDefinition marked for deletion; CustomResource deletion will "
                   "begin soon"),
               WallTime(std::chrono::seconds(seconds)),
               definition);
}

bool NeedsCleanup(const Definition& definition) {
  return definition.metadata.deletion_timestamp.has_value() && HasCleanupFinalizer(definition);
}

Definition BeginDeletion(const Definition& definition, WallTime now) {
  return With(definition,
              Say(kTerminating,
                  "True",
                  "InstanceDeletionInProgress",
                  "CustomResource deletion is in progress"),
              now);
}

bool IsOver(Cleanup outcome) {
  switch (outcome) {
    case Cleanup::kCompleted:
    case Cleanup::kNeverEstablished:
    case Cleanup::kOverlapping: return true;
    case Cleanup::kNotListed:
    case Cleanup::kNotDeleted:
    case Cleanup::kNotGone: return false;
  }
  return false;
}

Definition EndDeletion(const Definition& definition,
                       Cleanup outcome,
                       std::string_view why,
                       WallTime now) {
  const Ending& ending = *std::ranges::find(kEndings, outcome, &Ending::outcome);
  const std::string_view cause = IsOver(outcome) ? std::string_view() : why;
  Definition next = With(
      definition,
      Say(kTerminating, ending.status, ending.reason, fmt::format("{}{}", ending.message, cause)),
      now);
  if (IsOver(outcome)) {
    std::erase(static_cast<std::vector<std::string>&>(next.metadata.finalizers), kCleanupFinalizer);
  }
  return next;
}

}  // namespace dray::custom::definitions
