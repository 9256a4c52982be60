// SPDX-License-Identifier: Apache-2.0
#include "server/registry/metadata_rules.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/text/cut.h"
#include "api/text/names.h"
#include "api/validation/cause_limits.h"
#include "api/validation/field_error.h"
#include "api/validation/workloads/core.h"
#include "api/value/time.h"
#include "base/text/ascii.h"
#include "server/errors/errors.h"

namespace dray::server::registry {
namespace {

namespace meta_v1 = api::meta_v1;
using Causes = std::vector<ErrorCause>;

using api::validation::ShownStruct;

// Whether there are more causes than an answer shows.
bool IsFull(const Causes& causes) {
  return causes.size() > api::validation::kCausesMax;
}

void AddInvalid(Causes& causes,
                std::string_view field,
                std::string_view value,
                const api::NameErrors& errors) {
  if (IsFull(causes)) return;
  for (const std::string& error : errors) {
    causes.push_back(errors::InvalidValue(std::string(field), errors::Quoted(value), error));
  }
}

enum class NamePart : uint8_t { kWhole, kPrefix };

// Kinds whose names upstream validates with its declarative validation, which counts bytes.
struct KindName {
  std::string_view group, kind;
};
constexpr KindName kCountedInBytes[] = {{"resource.k8s.io", "DeviceClass"}};

bool IsIn(std::span<const KindName> names, const api::KindInfo& kind) {
  return std::ranges::any_of(names, [&](const KindName& name) {
    return name.group == kind.group && name.kind == kind.kind;
  });
}

// A kind and the release whose rules apply.
struct Subject {
  const api::KindInfo& kind;
  const api::Profile& profile;
  const NameCheck* check_name = nullptr;  // of new objects of some kinds

  /// The unit of length in errors about names.
  api::LengthWord name_word() const {
    const bool bytes = profile.Since(37) && IsIn(kCountedInBytes, kind);
    return bytes ? api::LengthWord::kBytes : api::LengthWord::kCharacters;
  }
  /// The unit of length in errors about keys and values of labels.
  api::LengthWord label_word() const {
    return profile.Since(35) ? api::LengthWord::kBytes : api::LengthWord::kCharacters;
  }
};

api::NameErrors CheckName(const Subject& subject, std::string_view name, NamePart part) {
  const api::LengthWord word = subject.name_word();
  const std::string masked =
      part == NamePart::kPrefix ? api::MaskTrailingDash(name) : std::string(name);
  switch (subject.kind.name_rule) {
    case api::NameRule::kDnsSubdomain: return api::CheckDnsSubdomain(masked, word);
    case api::NameRule::kDnsLabel: return api::CheckDnsLabel(masked, word);
    case api::NameRule::kPathSegment:
      return part == NamePart::kPrefix ? api::CheckPathSegmentPrefix(name)
                                       : api::CheckPathSegmentName(name);
  }
  return {};
}

void AddNameErrors(const Subject& subject,
                   std::string_view field,
                   const std::string& name,
                   NamePart part,
                   Causes& causes) {
  AddInvalid(causes, field, name, CheckName(subject, name, part));
  if (subject.check_name != nullptr && *subject.check_name) {
    AddInvalid(causes, field, name, (*subject.check_name)(name));
  }
}

void CheckNames(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  if (!meta.generate_name.empty()) {
    AddNameErrors(subject, "metadata.generateName", meta.generate_name, NamePart::kPrefix, causes);
  }
  if (meta.name.empty()) {
    causes.push_back(errors::RequiredValue("metadata.name", "name or generateName is required"));
  } else {
    AddNameErrors(subject, "metadata.name", meta.name, NamePart::kWhole, causes);
  }
  if (!subject.kind.namespaced) {
    if (!meta.namespace_.empty()) {
      causes.push_back(errors::ForbiddenValue("metadata.namespace", "not allowed on this type"));
    }
  } else if (meta.namespace_.empty()) {
    causes.push_back(errors::RequiredValue("metadata.namespace", ""));
  } else {
    AddInvalid(causes, "metadata.namespace", meta.namespace_, api::CheckDnsLabel(meta.namespace_));
  }
}

void CheckLabels(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  const api::LengthWord word = subject.label_word();
  for (const auto& [key, value] : meta.labels) {
    AddInvalid(causes, "metadata.labels", key, api::CheckLabelKey(key, word));
    AddInvalid(causes, "metadata.labels", value, api::CheckLabelValue(value, word));
  }
}

void CheckAnnotations(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  size_t bytes = 0;
  for (const auto& [key, value] : meta.annotations) {
    AddInvalid(causes,
               "metadata.annotations",
               key,
               api::CheckLabelKey(LowerAscii(key), subject.label_word()));
    bytes += key.size() + value.size();
  }
  if (bytes > api::kAnnotationBytesMax) {
    const std::string_view word =
        subject.profile.Since(32) ? "may not be more than" : "must have at most";
    causes.push_back(
        {.reason = "FieldValueTooLong",
         .field = "metadata.annotations",
         .message = fmt::format("Too long: {} {} bytes", word, api::kAnnotationBytesMax)});
  }
}

// "group/version" or "version"; nothing when there are more slashes.
struct GroupVersion {
  std::string_view group, version;
};
std::optional<GroupVersion> SplitApiVersion(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return GroupVersion{"", text};
  if (text.find('/', slash + 1) != std::string_view::npos) return std::nullopt;
  return GroupVersion{text.substr(0, slash), text.substr(slash + 1)};
}

void CheckNotEvent(const meta_v1::OwnerReference& owner,
                   const std::optional<GroupVersion>& split,
                   const std::string& path,
                   Causes& causes) {
  // Events expire and are many: no object may have one as its owner.
  if (split.has_value() && owner.kind == "Event" && split->group.empty() &&
      split->version == "v1") {
    causes.push_back(errors::InvalidValue(
        path, ShownStruct(owner), "/v1, Kind=Event is disallowed from being an owner"));
  }
}

// Up to 1.36 errors did not name the index of the owner, and up to 1.33 they named the member
// twice.
void CheckOwnerBefore37(const Subject& subject,
                        const meta_v1::OwnerReference& owner,
                        Causes& causes) {
  const std::string path = "metadata.ownerReferences";
  const std::optional<GroupVersion> split = SplitApiVersion(owner.api_version);
  if (!split.has_value() || split->version.empty()) {
    causes.push_back(errors::InvalidValue(
        path + ".apiVersion", errors::Quoted(owner.api_version), "version must not be empty"));
  }
  const auto check = [&](std::string_view member, const std::string& value) {
    if (!value.empty()) return;
    causes.push_back(errors::InvalidValue(fmt::format("{}.{}", path, member),
                                          errors::Quoted(value),
                                          subject.profile.Since(34)
                                              ? "must not be empty"
                                              : fmt::format("{} must not be empty", member)));
  };
  check("kind", owner.kind);
  check("name", owner.name);
  check("uid", owner.uid);
  CheckNotEvent(owner, split, path, causes);
}

void CheckOwner(const meta_v1::OwnerReference& owner, const std::string& path, Causes& causes) {
  const auto required = [&](std::string_view member, const std::string& value) {
    if (!value.empty()) return;
    causes.push_back(
        errors::RequiredValue(fmt::format("{}.{}", path, member), "must not be empty"));
  };
  const std::optional<GroupVersion> split = SplitApiVersion(owner.api_version);
  if (owner.api_version.empty()) {
    required("apiVersion", owner.api_version);
  } else if (!split.has_value()) {
    causes.push_back(errors::InvalidValue(path + ".apiVersion",
                                          errors::Quoted(owner.api_version),
                                          "must be <group>/<version> or <version>"));
  } else if (split->version.empty()) {
    causes.push_back(errors::InvalidValue(
        path + ".apiVersion", errors::Quoted(owner.api_version), "version must not be empty"));
  }
  required("kind", owner.kind);
  required("name", owner.name);
  required("uid", owner.uid);
  CheckNotEvent(owner, split, path, causes);
}

// The owners as Go prints them; up to 1.33 flags showed as their addresses.
std::string ShownOwners(const Subject& subject, const api::List<meta_v1::OwnerReference>& owners) {
  if (subject.profile.Since(34)) return ShownStruct(owners);
  std::vector<std::string> shown;
  const auto flag = [](const std::optional<bool>& value) {
    return value.has_value() ? "(*bool)(0xc000000000)" : "(*bool)(nil)";
  };
  for (const meta_v1::OwnerReference& owner : owners) {
    shown.push_back(
        fmt::format("v1.OwnerReference{{APIVersion:{}, Kind:{}, Name:{}, UID:{}, Controller:{}, "
                    "BlockOwnerDeletion:{}}}",
                    errors::Quoted(owner.api_version),
                    errors::Quoted(owner.kind),
                    errors::Quoted(owner.name),
                    errors::Quoted(owner.uid),
                    flag(owner.controller),
                    flag(owner.block_owner_deletion)));
  }
  return fmt::format("[]v1.OwnerReference{{{}}}", fmt::join(shown, ", "));
}

std::string ShortName(std::string_view name) {
  return api::Cut(name, api::validation::kShownMax);
}

void CheckOwners(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  std::string controller;
  std::optional<std::string> shown;  // all owners, for each controller beyond the first
  for (size_t i = 0; i < meta.owner_references.size() && !IsFull(causes); ++i) {
    const meta_v1::OwnerReference& owner = meta.owner_references[i];
    if (subject.profile.Since(37)) {
      CheckOwner(owner, fmt::format("metadata.ownerReferences[{}]", i), causes);
    } else {
      CheckOwnerBefore37(subject, owner, causes);
    }
    if (!owner.controller.value_or(false)) continue;
    const std::string current = ShortName(owner.kind) + "/" + ShortName(owner.name);
    if (!controller.empty()) {
      if (!shown.has_value()) shown = ShownOwners(subject, meta.owner_references);
      causes.push_back(errors::InvalidValue(
          "metadata.ownerReferences",
          *shown,
          fmt::format("Only one reference can have Controller set to true. Found "
                      "\"true\" in references for {} and {}",
                      controller,
                      current)));
    } else {
      controller = current;
    }
  }
}

bool Contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

void CheckFinalizers(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  for (const std::string& finalizer : meta.finalizers) {
    AddInvalid(causes,
               "metadata.finalizers",
               finalizer,
               api::CheckLabelKey(finalizer, subject.label_word()));
  }
  if (Contains(meta.finalizers, "orphan") && Contains(meta.finalizers, "foregroundDeletion")) {
    causes.push_back(
        errors::InvalidValue("metadata.finalizers",
                             ShownStruct(meta.finalizers),
                             "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void CheckNoNewFinalizers(const meta_v1::ObjectMeta& meta,
                          const meta_v1::ObjectMeta& old,
                          Causes& causes) {
  const std::set<std::string_view> known(old.finalizers.begin(), old.finalizers.end());
  std::vector<std::string_view> found;
  for (const std::string& finalizer : meta.finalizers) {
    if (!known.contains(finalizer)) found.push_back(finalizer);
  }
  if (found.empty()) return;
  std::vector<std::string> added;
  for (const std::string_view finalizer : found) {
    if (added.size() > api::validation::kCausesMax) break;
    added.push_back(api::validation::Shown(finalizer));
  }
  std::ranges::sort(added);
  causes.push_back(errors::ForbiddenValue(
      "metadata.finalizers",
      fmt::format("no new finalizers can be added if the object is being deleted, found new "
                  "finalizers []string{{{}}}",
                  fmt::join(added, ", "))));
}

template <class T>
void CheckImmutable(std::string_view member, const T& value, const T& old, Causes& causes) {
  if (value == old) return;
  causes.push_back(errors::InvalidValue(
      fmt::format("metadata.{}", member), ShownStruct(value), "field is immutable"));
}

// The rules for both new and changed objects.
void CheckCommon(const Subject& subject, const meta_v1::ObjectMeta& meta, Causes& causes) {
  CheckNames(subject, meta, causes);
  if (meta.generation < 0) {
    causes.push_back(errors::InvalidValue(
        "metadata.generation", ShownStruct(meta.generation), "must be greater than or equal to 0"));
  }
  CheckLabels(subject, meta, causes);
  CheckAnnotations(subject, meta, causes);
  CheckOwners(subject, meta, causes);
  CheckFinalizers(subject, meta, causes);
}

// Up to 1.32 errors had a time as Go prints it.
void CheckDeletionTime(const Subject& subject,
                       const meta_v1::ObjectMeta& meta,
                       const meta_v1::ObjectMeta& old,
                       Causes& causes) {
  const std::optional<api::Time>& time = meta.deletion_timestamp;
  if (subject.profile.Since(34) || !time.has_value()) {
    return CheckImmutable("deletionTimestamp", time, old.deletion_timestamp, causes);
  }
  if (time == old.deletion_timestamp) return;
  std::string shown = time->ToString();  // 2020-01-01T00:00:00Z
  shown.replace(shown.find('T'), 1, " ");
  shown.replace(shown.size() - 1, 1, " +0000 UTC");
  causes.push_back(errors::InvalidValue("metadata.deletionTimestamp", shown, "field is immutable"));
}

void CheckChange(const Subject& subject,
                 const meta_v1::ObjectMeta& meta,
                 const meta_v1::ObjectMeta& old,
                 Causes& causes) {
  if (old.deletion_timestamp.has_value()) CheckNoNewFinalizers(meta, old, causes);
  CheckImmutable("name", meta.name, old.name, causes);
  CheckImmutable("namespace", meta.namespace_, old.namespace_, causes);
  CheckImmutable("uid", meta.uid, old.uid, causes);
  CheckDeletionTime(subject, meta, old, causes);
  CheckImmutable("deletionGracePeriodSeconds",
                 meta.deletion_grace_period_seconds,
                 old.deletion_grace_period_seconds,
                 causes);
}

// Kinds of resource.k8s.io whose rules for an update do not begin with those for a new object.
constexpr KindName kUpdatedAlone[] = {{"resource.k8s.io", "ResourceSlice"},
                                      {"resource.k8s.io", "DeviceTaintRule"},
                                      {"resource.k8s.io", "ResourcePoolStatusRequest"}};

// Classic kinds whose rules for an update apply those for a new object once more.
constexpr std::string_view kClassicVersion = "v1alpha2";
constexpr KindName kAskedAgain[] = {{"resource.k8s.io", "ResourceClaim"},
                                    {"resource.k8s.io", "ResourceClaimTemplate"},
                                    {"resource.k8s.io", "ResourceClass"},
                                    {"resource.k8s.io", "PodSchedulingContext"}};

// The number of times that the kind's rules for an update apply the metadata rules for new objects.
int LooksAsNew(const Subject& subject) {
  const bool is_classic = subject.kind.version == kClassicVersion;
  if (is_classic) return IsIn(kAskedAgain, subject.kind) ? 2 : 1;
  return IsIn(kUpdatedAlone, subject.kind) ? 0 : 1;
}

// Up to 1.36 each validation of an object also validated its metadata: the generic code, with the
// rules for new objects and those for changes, then the rules of the kind.
Causes CheckChangedBefore37(const Subject& subject,
                            const meta_v1::ObjectMeta& meta,
                            const meta_v1::ObjectMeta& old,
                            ChangedPart part) {
  Causes as_new;
  CheckCommon(subject, meta, as_new);
  // The generic code accepts any name that is valid in a path.
  Causes generic;
  std::ranges::copy_if(as_new, std::back_inserter(generic), [](const ErrorCause& cause) {
    return cause.field != "metadata.name";
  });
  Causes change;
  CheckChange(subject, meta, old, change);
  CheckLabels(subject, meta, change);
  CheckAnnotations(subject, meta, change);
  CheckOwners(subject, meta, change);
  const Causes finalizers = api::validation::CheckFinalizerNames(meta);
  Causes all = generic;
  const auto add = [&](const Causes& more) { std::ranges::copy(more, std::back_inserter(all)); };
  add(change);
  const int looks = part == ChangedPart::kMain ? LooksAsNew(subject) : 0;
  for (int i = 0; i < looks; ++i) {
    add(as_new);
    add(finalizers);
  }
  add(change);
  add(finalizers);
  return all;
}

struct BeforeOwner {
  static auto What(const meta_v1::OwnerReference& owner) {
    return std::tie(owner.uid,
                    owner.name,
                    owner.kind,
                    owner.api_version,
                    owner.controller,
                    owner.block_owner_deletion);
  }
  bool operator()(const meta_v1::OwnerReference* a, const meta_v1::OwnerReference* b) const {
    return What(*a) < What(*b);
  }
};

}  // namespace

std::vector<ErrorCause> CheckNewMetadata(const api::KindInfo& kind,
                                         const meta_v1::ObjectMeta& meta,
                                         const api::Profile& profile,
                                         const NameCheck& check_name) {
  Causes causes;
  CheckCommon({.kind = kind, .profile = profile, .check_name = &check_name}, meta, causes);
  return causes;
}

std::vector<ErrorCause> CheckEmbeddedMetadata(const meta_v1::ObjectMeta& meta) {
  api::KindInfo any{};
  any.namespaced = !meta.namespace_.empty();
  any.name_rule = api::NameRule::kPathSegment;
  return CheckNewMetadata(any, meta);
}

std::vector<ErrorCause> CheckChangedMetadata(const api::KindInfo& kind,
                                             const meta_v1::ObjectMeta& meta,
                                             const meta_v1::ObjectMeta& old,
                                             const api::Profile& profile,
                                             ChangedPart part) {
  const Subject subject = {.kind = kind, .profile = profile};
  if (!profile.Since(37)) return CheckChangedBefore37(subject, meta, old, part);
  Causes causes;
  CheckCommon(subject, meta, causes);
  CheckChange(subject, meta, old, causes);
  return causes;
}

void DropDuplicateOwners(meta_v1::ObjectMeta& meta, std::vector<std::string>& warnings) {
  if (meta.owner_references.size() < 2) return;
  std::set<const meta_v1::OwnerReference*, BeforeOwner> seen;
  std::set<std::string_view> repeated_uids;
  std::vector<bool> is_kept;
  std::vector<std::string> repeated;
  for (const meta_v1::OwnerReference& owner : meta.owner_references) {
    is_kept.push_back(seen.insert(&owner).second);
    if (is_kept.back() || !repeated_uids.insert(owner.uid).second) continue;
    repeated.push_back(owner.uid);
  }
  if (repeated.empty()) return;
  size_t next = 0;
  std::erase_if(meta.owner_references,
                [&](const meta_v1::OwnerReference& /*owner*/) { return !is_kept[next++]; });
  warnings.push_back(
      fmt::format(".metadata.ownerReferences contains duplicate entries; API server dedups owner "
                  "references in 1.20+, and may reject such requests as early as 1.24; please fix "
                  "your requests; duplicate UID(s) observed: {}",
                  fmt::join(repeated, ", ")));
}

}  // namespace dray::server::registry
