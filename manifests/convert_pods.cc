// SPDX-License-Identifier: Apache-2.0
#include "manifests/convert_pods.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "manifests/json_members.h"

namespace dray::manifests {
namespace {

constexpr std::string_view kSourceMember = "source";
constexpr std::array<std::string_view, 2> kNames = {"resourceClaimName",
                                                    "resourceClaimTemplateName"};
constexpr std::string_view kPodGroupClaim = "podGroupResourceClaim";

using Steps = std::span<const std::string_view>;

constexpr std::array<std::string_view, 1> kOfPod = {"spec"};
constexpr std::array<std::string_view, 2> kOfTemplate = {"template", "spec"};
constexpr std::array<std::string_view, 3> kOfWorkload = {"spec", "template", "spec"};
constexpr std::array<std::string_view, 5> kOfCronJob = {
    "spec", "jobTemplate", "spec", "template", "spec"};

/// The path of the pod spec in an object of the kind; empty: it has none.
Steps PodSpecIn(const api::TypeMeta& meta) {
  if (meta.api_version == "v1") {
    if (meta.kind == "Pod") return kOfPod;
    if (meta.kind == "PodTemplate") return kOfTemplate;
    if (meta.kind == "ReplicationController") return kOfWorkload;
    return {};
  }
  const bool is_apps = meta.api_version.starts_with("apps/");
  const bool is_batch = meta.api_version.starts_with("batch/");
  if (is_batch && meta.kind == "CronJob") return kOfCronJob;
  constexpr std::array<std::string_view, 4> kApps = {
      "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"};
  if (is_apps && std::ranges::find(kApps, meta.kind) != kApps.end()) return kOfWorkload;
  return is_batch && meta.kind == "Job" ? Steps(kOfWorkload) : Steps();
}

bool IsQuota(const api::TypeMeta& meta) {
  return meta.api_version == "v1" && meta.kind == "ResourceQuota";
}

/// Returns the new value for the one at `path`; absent: it does not change.
using Edit =
    std::function<std::optional<std::string>(const std::string& value, const std::string& path)>;

/// `json` with the value at `steps` edited; absent: there is no such value or it does not change.
std::optional<std::string> EditedAt(std::string_view json,
                                    Steps steps,
                                    const std::string& path,
                                    const Edit& edit) {
  if (steps.empty()) return edit(std::string(json), path);
  std::vector<JsonMember> members = MembersOf(json);
  const auto member = std::ranges::find(members, steps.front(), &JsonMember::key);
  if (member == members.end()) return std::nullopt;
  const std::string inner = path.empty() ? member->key : path + "." + member->key;
  auto edited = EditedAt(member->value, steps.subspan(1), inner, edit);
  if (!edited.has_value()) return std::nullopt;
  member->value = *std::move(edited);
  return ObjectOf(members);
}

bool NamesClaim(const JsonMember& member) {
  return std::ranges::find(kNames, member.key) != kNames.end();
}

/// {"name":"a","source":{"resourceClaimName":"b"}} → {"name":"a","resourceClaimName":"b"}
std::optional<std::string> Flat(const std::string& entry) {
  std::vector<JsonMember> members = MembersOf(entry);
  const auto source = std::ranges::find(members, kSourceMember, &JsonMember::key);
  if (source == members.end()) return std::nullopt;
  const std::vector<JsonMember> named = MembersOf(source->value);
  members.insert(members.erase(source), named.begin(), named.end());
  return ObjectOf(members);
}

/// The reverse. Entries without a source are noted and left out.
std::optional<std::string> WithSource(const std::string& entry,
                                      const std::string& path,
                                      std::vector<AroundChange::Loss>& losses) {
  std::vector<JsonMember> rest;
  std::vector<JsonMember> named;
  bool is_changed = false;
  for (JsonMember& member : MembersOf(entry)) {
    if (member.key == kPodGroupClaim) {
      losses.push_back({.path = path + "." + member.key,
                        .text = fmt::format("claims of pod groups came later: {}", member.value)});
      is_changed = true;
    } else if (NamesClaim(member)) {
      named.push_back(std::move(member));
    } else {
      rest.push_back(std::move(member));
    }
  }
  if (named.empty() && !is_changed) return std::nullopt;
  if (!named.empty()) rest.push_back({std::string(kSourceMember), ObjectOf(named)});
  return ObjectOf(rest);
}

std::optional<std::string> EntriesIn(const std::string& array,
                                     const std::string& path,
                                     ClaimForm form,
                                     std::vector<AroundChange::Loss>& losses) {
  std::vector<std::string> entries = ElementsOf(array);
  bool is_changed = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    auto changed = form == ClaimForm::kFlat
                       ? Flat(entries[i])
                       : WithSource(entries[i], fmt::format("{}[{}]", path, i), losses);
    if (!changed.has_value()) continue;
    entries[i] = *std::move(changed);
    is_changed = true;
  }
  return is_changed ? std::optional(ArrayOf(entries)) : std::nullopt;
}

/// A resource whose objects quotas can count: "count/RESOURCE.resource.k8s.io".
struct Countable {
  std::string_view resource;
  std::array<std::string_view, 2> versions;  // of resource.k8s.io that have it

  bool IsIn(std::string_view version) const {
    return std::ranges::find(versions, version) != versions.end();
  }
};
constexpr std::array<Countable, 4> kCountable = {
    {{"podschedulings", {"v1alpha1"}},
     {"podschedulingcontexts", {"v1alpha2", "v1alpha3"}},
     {"resourceclaimparameters", {"v1alpha2"}},
     {"resourceclassparameters", {"v1alpha2"}}}};
constexpr std::string_view kCount = "count/";
constexpr std::string_view kGroup = ".resource.k8s.io";
constexpr std::string_view kDevicesOfClass = ".deviceclass.resource.k8s.io/devices";

/// The new name in a quota: the same, another one, or empty.
std::string QuotaName(const std::string& name, const std::string& version) {
  const bool is_classic = version == "v1alpha1" || version == "v1alpha2";
  if (name.ends_with(kDevicesOfClass)) return is_classic ? "" : name;
  if (!name.starts_with(kCount) || !name.ends_with(kGroup)) return name;
  const std::string_view resource =
      std::string_view(name).substr(kCount.size(), name.size() - kCount.size() - kGroup.size());
  const auto known = std::ranges::find(kCountable, resource, &Countable::resource);
  if (known == kCountable.end() || known->IsIn(version)) return name;
  // The first two are one resource under two names.
  if (known->resource == kCountable[0].resource && kCountable[1].IsIn(version))
    return fmt::format("{}{}{}", kCount, kCountable[1].resource, kGroup);
  if (known->resource == kCountable[1].resource && kCountable[0].IsIn(version))
    return fmt::format("{}{}{}", kCount, kCountable[0].resource, kGroup);
  return {};
}

std::optional<std::string> QuotaNames(const std::string& amounts,
                                      const std::string& path,
                                      const std::string& version,
                                      std::vector<AroundChange::Loss>& losses) {
  std::vector<JsonMember> kept;
  bool is_changed = false;
  for (JsonMember& member : MembersOf(amounts)) {
    std::string name = QuotaName(member.key, version);
    is_changed = is_changed || name != member.key;
    if (name.empty()) {
      losses.push_back({.path = fmt::format("{}[{}]", path, member.key),
                        .text = fmt::format("{} has nothing that {} counts", version, member.key)});
      continue;
    }
    member.key = std::move(name);
    kept.push_back(std::move(member));
  }
  return is_changed ? std::optional(ObjectOf(kept)) : std::nullopt;
}

}  // namespace

bool IsAround(const api::TypeMeta& meta) {
  return IsQuota(meta) || !PodSpecIn(meta).empty();
}

std::optional<AroundChange> ConvertAround(const api::TypeMeta& meta,
                                          std::string_view json,
                                          const AroundTarget& target) {
  AroundChange change;
  std::optional<std::string> changed;
  if (IsQuota(meta)) {
    constexpr std::array<std::array<std::string_view, 2>, 3> kAmounts = {
        {{"spec", "hard"}, {"status", "hard"}, {"status", "used"}}};
    for (const auto& steps : kAmounts) {
      const std::string before = changed.value_or(std::string(json));
      auto edited = EditedAt(before, steps, "", [&](const std::string& value, const auto& path) {
        return QuotaNames(value, path, target.version, change.losses);
      });
      if (edited.has_value()) changed = std::move(edited);
    }
  } else {
    const Steps spec = PodSpecIn(meta);
    std::vector<std::string_view> steps(spec.begin(), spec.end());
    steps.emplace_back("resourceClaims");
    changed = EditedAt(json, steps, "", [&](const std::string& value, const auto& path) {
      return EntriesIn(value, path, target.form, change.losses);
    });
  }
  if (!changed.has_value()) return std::nullopt;
  change.object = *std::move(changed);
  return change;
}

}  // namespace dray::manifests
