// SPDX-License-Identifier: Apache-2.0
#include "server/registry/write.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/custom_kind.h"
#include "api/defaults/defaults.h"
#include "api/managed_fields/field_set.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/path_element.h"
#include "api/meta_v1/object_meta.h"
#include "api/reflect.h"
#include "api/validation/devices/disabled_fields.h"
#include "api/validation/workloads/core.h"
#include "api/value/time.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/profile_expressions.h"

namespace dray::server::registry {
namespace {

namespace meta_v1 = api::meta_v1;
namespace managed_fields = api::managed_fields;
namespace validation = api::validation;
using Causes = std::vector<ErrorCause>;

constexpr std::string_view kStatus = "status";

// ----------------------------------------------------------------------------------------- owners

managed_fields::FieldSet SetOf(std::initializer_list<std::string_view> paths) {
  managed_fields::FieldSet set;
  for (const std::string_view text : paths) {
    managed_fields::Path path;
    for (std::string_view rest = text; !rest.empty();) {
      const size_t dot = std::min(rest.find('.'), rest.size());
      path.push_back(managed_fields::PathElement::OfField(rest.substr(0, dot)));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    set.Insert(path);
  }
  return set;
}

// Sets managedFields as context.owners says; `old` is empty for a new object.
void SetOwners(api::Object& object, const api::Object& old, const WriteContext& context) {
  switch (context.owners) {
    case Owners::kAsStored: {
      const managed_fields::Entries none;
      object.mutable_metadata().managed_fields = old.empty() ? none : old.metadata().managed_fields;
      return;
    }
    case Owners::kOfUpdate: {
      const api::Object before = old.empty() ? api::Object::Blank(object.kind()) : old;
      object.mutable_metadata().managed_fields =
          managed_fields::EntriesAfter(context.writer, before, object);
      return;
    }
    case Owners::kDecided: return;
  }
}

// ---------------------------------------------------------------------------------------- prepare

const void* FieldOf(const api::Object& object, std::string_view name) {
  const api::Field* field = object.type().Find(name);
  return field == nullptr ? nullptr : field->of(object.value());
}

// Whether the member `name` is the status of a custom kind with that subresource. Without the
// subresource, "status" is an ordinary member.
bool IsStatusOf(const api::KindInfo& kind, std::string_view name) {
  return kind.has_status && name == kStatus;
}

// Replaces the status in `content` by `status`; null: removes it.
void SetStatus(const api::Tree* status, api::Tree& content) {
  if (status == nullptr) {
    content.Erase(kStatus);
  } else {
    content.Set(kStatus, *status);
  }
}

void ClearField(std::string_view name, api::Object& object) {
  if (api::IsCustom(object.kind())) {
    if (IsStatusOf(object.kind(), name)) {
      SetStatus(nullptr, object.Mutable<api::CustomObject>().content);
    }
    return;
  }
  const api::Field* field = object.type().Find(name);
  if (field != nullptr) {
    Clear(field->type(), api::MutableMember(*field, object.mutable_value()));
  }
}

// Compares the spec, which is everything but metadata and status.
bool SameSpec(const api::Object& a, const api::Object& b) {
  if (api::IsCustom(a.kind())) {
    api::Tree first = a.As<api::CustomObject>().content;
    api::Tree second = b.As<api::CustomObject>().content;
    if (a.kind().has_status) {
      SetStatus(nullptr, first);
      SetStatus(nullptr, second);
    }
    return first == second;
  }
  for (const api::Field& field : a.type().fields) {
    if (field.name == "metadata" || field.name == "status") continue;
    if (!Equal(field.type(), field.of(a.value()), field.of(b.value()))) return false;
  }
  return true;
}

void CopyField(std::string_view name, api::Object& to, const api::Object& from) {
  if (api::IsCustom(to.kind())) {
    if (IsStatusOf(to.kind(), name)) {
      SetStatus(from.As<api::CustomObject>().content.Find(kStatus),
                to.Mutable<api::CustomObject>().content);
    }
    return;
  }
  const api::Field* field = to.type().Find(name);
  const void* value = FieldOf(from, name);
  if (field == nullptr || value == nullptr) return;
  Assign(field->type(), api::MutableMember(*field, to.mutable_value()), value);
}

// Restores metadata that no client can change once it is set.
void KeepServerMetadata(meta_v1::ObjectMeta& meta, const meta_v1::ObjectMeta& old) {
  if (meta.namespace_.empty()) meta.namespace_ = old.namespace_;
  if (meta.uid.empty()) meta.uid = old.uid;
  meta.generate_name = old.generate_name;
  meta.self_link = old.self_link;
  meta.generation = old.generation;
  meta.creation_timestamp = old.creation_timestamp;
  if (!old.deletion_timestamp.has_value()) return;
  meta.deletion_timestamp = old.deletion_timestamp;
  if (!meta.deletion_grace_period_seconds.has_value()) {
    meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
  }
}

// Clears metadata that only the server sets.
void WipeSystemMetadata(meta_v1::ObjectMeta& meta) {
  meta.self_link.clear();
  meta.creation_timestamp = api::Time();
  meta.deletion_timestamp.reset();
  meta.deletion_grace_period_seconds.reset();
}

bool TracksGeneration(const Strategy& strategy, const api::KindInfo& kind, api::Release release) {
  return kind.tracks_generation && strategy.generation_in.Rules(release);
}

void PrepareNew(const Strategy& strategy, api::Object& object, const WriteContext& context) {
  meta_v1::ObjectMeta& meta = object.mutable_metadata();
  meta.uid = context.uid;
  meta.creation_timestamp = api::Time::Of(context.now);
  if (TracksGeneration(strategy, object.kind(), context.options.profile.release)) {
    meta.generation = 1;
  }
  if (!strategy.status_on_create) ClearField("status", object);
  if (strategy.prepare_create != nullptr) strategy.prepare_create(object);
  if (strategy.note_requester != nullptr) strategy.note_requester(object, context.requester);
}

void PrepareObject(const Strategy& strategy,
                   api::Object& object,
                   const api::Object& old,
                   const WriteContext& context) {
  KeepServerMetadata(object.mutable_metadata(), old.metadata());
  if (object.kind().has_status) CopyField("status", object, old);
  if (strategy.prepare_update != nullptr) {
    strategy.prepare_update(object, old, context.now, context.options.profile);
  }
  if (TracksGeneration(strategy, object.kind(), context.options.profile.release) &&
      !SameSpec(object, old)) {
    ++object.mutable_metadata().generation;
  }
}

// Takes everything but the status from `old`, except metadata that some kinds allow to change.
void PrepareStatus(const Strategy& strategy,
                   api::Object& object,
                   const api::Object& old,
                   const WriteContext& context) {
  meta_v1::ObjectMeta& meta = object.mutable_metadata();
  KeepServerMetadata(meta, old.metadata());
  if (api::IsCustom(object.kind())) {
    api::Tree content = old.As<api::CustomObject>().content;
    SetStatus(object.As<api::CustomObject>().content.Find(kStatus), content);
    object.Mutable<api::CustomObject>().content = std::move(content);
  }
  for (const api::Field& field : object.type().fields) {
    if (field.name != "metadata" && field.name != "status") CopyField(field.name, object, old);
  }
  switch (strategy.status_metadata) {
    case StatusMetadata::kFromStore: {
      const std::string uid = meta.uid;
      const std::string version = meta.resource_version;
      managed_fields::Entries owners = std::move(meta.managed_fields);
      meta = old.metadata();
      meta.uid = uid;  // validation refuses another uid
      meta.resource_version = version;
      meta.managed_fields = std::move(owners);
      break;
    }
    case StatusMetadata::kOwnersFromStore:
      meta.owner_references = old.metadata().owner_references;
      break;
    case StatusMetadata::kLabelsFromStore: meta.labels = old.metadata().labels; break;
    case StatusMetadata::kFree: break;
  }
  if (strategy.prepare_status != nullptr) {
    strategy.prepare_status(object, old, context.options.profile);
  }
}

void Prepare(const Strategy& strategy,
             api::Object& object,
             const api::Object& old,
             const WriteContext& context) {
  switch (context.subresource) {
    case Subresource::kNone: PrepareObject(strategy, object, old, context); return;
    case Subresource::kStatus: PrepareStatus(strategy, object, old, context); return;
    case Subresource::kFinalize:
      KeepServerMetadata(object.mutable_metadata(), old.metadata());
      CopyField("status", object, old);
      return;
    case Subresource::kBinding:
      return;  // the server itself makes this change, which is not one of the spec
    case Subresource::kApproval:
      KeepServerMetadata(object.mutable_metadata(), old.metadata());
      strategy.prepare_part(object, old, context.subresource);
      return;
    case Subresource::kEphemeralContainers:
    case Subresource::kResize:
      if (strategy.prepare_part != nullptr) {
        strategy.prepare_part(object, old, context.subresource);
      }
      PrepareObject(strategy, object, old, context);
      return;
  }
}

// --------------------------------------------------------------------------------------- validate

void Append(Causes more, Causes& causes) {
  std::ranges::move(more, std::back_inserter(causes));
}

// Drops causes that the rules of a kind find twice: since 1.37 they are reported once.
void DropRepeated(Causes& causes) {
  std::set<std::string> seen;
  std::erase_if(causes, [&](const ErrorCause& cause) {
    return !seen.insert(fmt::format("{} {} {}", cause.reason, cause.field, cause.message)).second;
  });
}

Causes CheckNew(const Strategy& strategy,
                const api::Object& object,
                const validation::Options& options) {
  NameCheck check_name;
  if (strategy.check_name != nullptr) {
    check_name = [&](std::string_view name) { return strategy.check_name(object, name); };
  }
  Causes causes = CheckNewMetadata(object.kind(), object.metadata(), options.profile, check_name);
  if (strategy.validate_create == nullptr) return causes;
  Causes found;
  if (!strategy.any_finalizers) found = validation::CheckFinalizerNames(object.metadata());
  Append(strategy.validate_create(object, nullptr, options), found);
  if (options.profile.Since(37)) DropRepeated(found);
  Append(std::move(found), causes);
  return causes;
}

// The rules for a subresource. Binding has none, because it changes what an update may not; its
// verb makes its own checks.
Strategy::Rules RulesFor(const Strategy& strategy, Subresource subresource) {
  switch (subresource) {
    case Subresource::kNone: return strategy.validate_update;
    case Subresource::kStatus: return strategy.validate_status;
    case Subresource::kFinalize: return strategy.validate_finalize;
    case Subresource::kBinding:
    case Subresource::kEphemeralContainers:
    case Subresource::kResize:
    case Subresource::kApproval: return nullptr;
  }
  return nullptr;
}

// The same of kinds whose rules also tell what they forgive.
Strategy::ForgivingRules ForgivingRulesFor(const Strategy& strategy, Subresource subresource) {
  switch (subresource) {
    case Subresource::kNone: return strategy.forgiving_update;
    case Subresource::kStatus: return strategy.forgiving_status;
    default: return nullptr;
  }
}

Causes RunRules(const Strategy& strategy,
                const api::Object& object,
                const api::Object& old,
                const WriteContext& context,
                const validation::Options& options) {
  if (const Strategy::ForgivingRules rules = ForgivingRulesFor(strategy, context.subresource)) {
    std::vector<std::string> dropped;
    return rules(object, old, options, context.forgiven == nullptr ? dropped : *context.forgiven);
  }
  const Strategy::Rules rules = RulesFor(strategy, context.subresource);
  return rules == nullptr ? Causes() : rules(object, &old, options);
}

Causes CheckChanged(const Strategy& strategy,
                    const api::Object& object,
                    const api::Object& old,
                    const WriteContext& context,
                    const validation::Options& options) {
  const Subresource subresource = context.subresource;
  const bool is_new_rules = options.profile.Since(37);
  const ChangedPart part =
      subresource == Subresource::kStatus ? ChangedPart::kStatus : ChangedPart::kMain;
  Causes causes =
      CheckChangedMetadata(object.kind(), object.metadata(), old.metadata(), options.profile, part);
  const bool has_rules = RulesFor(strategy, subresource) != nullptr ||
                         ForgivingRulesFor(strategy, subresource) != nullptr;
  if (!has_rules) return causes;
  Causes found;
  // Before 1.37 the rules for changed metadata checked finalizers.
  if (is_new_rules && subresource == Subresource::kNone && !strategy.any_finalizers) {
    found = validation::CheckFinalizerNames(object.metadata());
  }
  Append(RunRules(strategy, object, old, context, options), found);
  if (is_new_rules && !api::IsCustom(object.kind())) DropRepeated(found);
  Append(std::move(found), causes);
  return causes;
}

// Calls `check` with options in which the expressions of the object share a budget.
template <class F>
Causes WithBudget(const validation::Options& options, F check) {
  if (options.expressions == nullptr) return check(options);
  const ObjectExpressions expressions(*options.expressions);
  validation::Options counted = options;
  counted.expressions = &expressions;
  return check(counted);
}

// The result of a create or an update.
Result<Warnings> Answer(const Strategy& strategy,
                        const api::Object& object,
                        const api::Object* old,
                        const WriteContext& context,
                        Causes causes) {
  if (!causes.empty()) {
    return Fail(errors::Invalid(object.kind(), object.metadata().name, std::move(causes)));
  }
  const bool is_whole = context.subresource == Subresource::kNone;
  if (strategy.warnings == nullptr || !is_whole) return Warnings();
  return strategy.warnings(object, old, context.options.profile);
}

}  // namespace

void BeginCreate(api::Object& object, const WriteContext& context) {
  WipeSystemMetadata(object.mutable_metadata());
  SetOwners(object, {}, context);
}

void BeginUpdate(api::Object& object, const api::Object& old, const WriteContext& context) {
  SetOwners(object, old, context);
}

Result<Warnings> BeforeCreate(const Strategy& strategy,
                              api::Object& object,
                              const WriteContext& context) {
  PrepareNew(strategy, object, context);
  validation::DropDisabledFields(object, nullptr, context.options.profile);
  return Answer(
      strategy, object, nullptr, context, WithBudget(context.options, [&](const auto& options) {
        return CheckNew(strategy, object, options);
      }));
}

Result<Warnings> BeforeUpdate(const Strategy& strategy,
                              api::Object& object,
                              const api::Object& old,
                              const WriteContext& context) {
  Prepare(strategy, object, old, context);
  validation::DropDisabledFields(object, &old, context.options.profile);
  return Answer(
      strategy, object, &old, context, WithBudget(context.options, [&](const auto& options) {
        return CheckChanged(strategy, object, old, context, options);
      }));
}

const managed_fields::FieldSet& ResetFields(const Strategy& strategy,
                                            Subresource subresource,
                                            api::Release release) {
  static const managed_fields::FieldSet kMain = SetOf({"status"});
  static const managed_fields::FieldSet kSpec = SetOf({"spec"});
  static const managed_fields::FieldSet kSpecAndMetadata = SetOf({"spec", "metadata"});
  static const managed_fields::FieldSet kSpecAndOwners =
      SetOf({"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"});
  static const managed_fields::FieldSet kSpecAndLabels = SetOf({"spec", "metadata.labels"});
  // In earlier releases a writer of the status owned its labels, although the status cannot change
  // labels.
  constexpr api::Releases kMetadataToo = {.first = 35};
  static const managed_fields::FieldSet kAllButDecision = SetOf({"spec", "status.certificate"});
  if (subresource == Subresource::kApproval) return kAllButDecision;
  if (subresource != Subresource::kStatus) return kMain;
  switch (strategy.status_metadata) {
    case StatusMetadata::kFromStore: return kMetadataToo.Rules(release) ? kSpecAndMetadata : kSpec;
    case StatusMetadata::kOwnersFromStore: return kSpecAndOwners;
    case StatusMetadata::kLabelsFromStore: return kSpecAndLabels;
    case StatusMetadata::kFree: return kSpec;
  }
  return kSpec;
}

bool ChangesNothing(api::Object& next, const api::Object& old) {
  managed_fields::Entries& owners = next.mutable_metadata().managed_fields;
  const managed_fields::Entries& before = old.metadata().managed_fields;
  if (!managed_fields::DifferInTimes(before, owners)) return next == old;
  managed_fields::Entries made = std::exchange(owners, before);
  if (next == old) return true;
  owners = std::move(made);
  return false;
}

api::Object ForStore(api::Object requested, api::Release release, WallTime now) {
  api::defaults::SetDefaults(requested, api::Time::Of(now), release);
  return api::conversion::ToHub(requested, release);
}

Result<api::Object> DecodeForStore(const api::KindInfo& kind,
                                   std::string_view json,
                                   api::Release release,
                                   WallTime now,
                                   api::DecodeIssues* issues) {
  DRAY_TRY(api::Object object, api::DecodeJson(kind, json, issues, {.release = release}));
  return ForStore(std::move(object), release, now);
}

}  // namespace dray::server::registry
