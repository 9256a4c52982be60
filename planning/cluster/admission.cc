// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/admission.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/quota/limit_ranges.h"
#include "api/quota/limits.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "scheduler/cluster/pod_groups.h"

namespace dray::planning::inline cluster {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;
using api::scheduling_v1::PriorityClass;

api::quota::Surroundings SurroundingsOf(const std::string& namespace_,
                                        const scheduler::ClusterCache& cluster,
                                        WallTime now) {
  api::quota::Surroundings surroundings{.now = now};
  if (cluster.options().extended_resources) {
    surroundings.resource_of_class = [&cluster](std::string_view name) {
      const api::Object* const found = cluster.objects().classes.Find(name);
      if (found == nullptr) return std::string();
      return found->As<v1::DeviceClass>().spec.extended_resource_name.value_or("");
    };
  }
  surroundings.pod = [&cluster, namespace_](std::string_view name) {
    const api::Object* const found = cluster.FindPod(fmt::format("{}/{}", namespace_, name));
    return found == nullptr ? api::Object() : *found;
  };
  surroundings.claims_of_pod = [&cluster](std::string_view uid) {
    std::vector<api::Object> claims;
    if (const api::Object* const claim = cluster.indexes().LeftOverOf(uid))
      claims.push_back(*claim);
    return claims;
  };
  return surroundings;
}

bool HasPriority(const api::Object& object) {
  const auto* pod = object.If<core::Pod>();
  const auto* group = object.If<scheduler::PodGroup>();
  return (pod != nullptr && pod->spec.priority.has_value()) ||
         (group != nullptr && group->spec.priority.has_value());
}

/// The use of a quota by stored objects.
core::ResourceQuotaStatus CountedIn(const core::ResourceQuota& quota,
                                    const scheduler::ClusterCache& cluster,
                                    WallTime now) {
  const std::string& namespace_ = quota.metadata.namespace_;
  const api::quota::Surroundings surroundings = SurroundingsOf(namespace_, cluster, now);
  api::quota::Count count(quota);
  const auto add = [&](const api::KindInfo& kind, const client::Mirror& mirror) {
    count.Begin(kind);
    for (const auto& [key, object] : mirror.objects()) {
      if (object.metadata().namespace_ == namespace_ && IsStored(object))
        count.Add(object, api::quota::ChargeOf(object, surroundings));
    }
  };
  add(api::Reflected<core::Pod>::kKind, cluster.objects().pods);
  add(api::Reflected<v1::ResourceClaim>::kKind, cluster.objects().claims);
  return std::move(count).Status();
}

}  // namespace

bool IsStored(const api::Object& object) {
  const api::meta_v1::ObjectMeta& metadata = object.metadata();
  return !metadata.creation_timestamp.IsZero() || !metadata.resource_version.empty();
}

Admission::Admission(std::span<const api::Object> quotas,
                     std::span<const api::Object> limit_ranges,
                     std::span<const api::Object> priority_classes,
                     const scheduler::ClusterCache& cluster,
                     WallTime now)
    : now_(now) {
  for (const api::Object& object : quotas) {
    quotas_.push_back(object.As<core::ResourceQuota>());
    core::ResourceQuota& quota = quotas_.back();
    if (quota.status.hard.empty()) quota.status = CountedIn(quota, cluster, now);
  }
  for (const api::Object& object : limit_ranges)
    limit_ranges_.push_back(object.As<core::LimitRange>());
  for (const api::Object& object : priority_classes)
    priority_classes_.insert_or_assign(object.metadata().name, object.As<PriorityClass>());
}

std::vector<core::LimitRange> Admission::LimitRangesOf(const std::string& namespace_) const {
  std::vector<core::LimitRange> ranges;
  for (const core::LimitRange& range : limit_ranges_) {
    if (range.metadata.namespace_ == namespace_) ranges.push_back(range);
  }
  return ranges;
}

/// Absent for objects without a priority, and for an unknown class.
std::optional<api::pods::PodPriority> Admission::PriorityOf(const api::Object& object) const {
  const std::string* const named = api::pods::PriorityClassNamedBy(object);
  if (named == nullptr) return std::nullopt;
  if (const auto known = priority_classes_.find(*named); known != priority_classes_.end())
    return api::pods::PriorityOfClass(known->second);
  for (const api::pods::SystemPriority& one : api::pods::kSystemPriorities) {
    if (one.name == *named)
      return api::pods::PodPriority{.class_name = std::string(one.name), .value = one.value};
  }
  // If the input has no classes at all, keep the priority in the pod.
  if (!named->empty() || (priority_classes_.empty() && HasPriority(object))) return std::nullopt;
  const PriorityClass* usual = nullptr;
  for (const auto& [name, one] : priority_classes_) {
    if (one.global_default && (usual == nullptr || one.value < usual->value)) usual = &one;
  }
  return usual == nullptr ? api::pods::PodPriority{} : api::pods::PriorityOfClass(*usual);
}

/// Why the server rejects the object for its priority class; empty: it does not.
std::string Admission::WhyNoPriority(const api::Object& object) const {
  const auto priority = PriorityOf(object);
  if (priority.has_value()) {
    api::Object copy = object.Clone();
    return api::pods::GivePriority(*priority, copy);
  }
  const std::string* const named = api::pods::PriorityClassNamedBy(object);
  if (named == nullptr || named->empty() || priority_classes_.empty()) return {};
  return fmt::format("no PriorityClass with name {} was found", *named);
}

void Admission::FillIn(api::Object& object) const {
  if (object.If<core::Pod>() != nullptr) {
    const auto ranges = LimitRangesOf(object.metadata().namespace_);
    if (!ranges.empty()) api::quota::FillIn(ranges, object.Mutable<core::Pod>());
  }
  if (const auto priority = PriorityOf(object)) (void)api::pods::GivePriority(*priority, object);
}

std::string Admission::Admit(const api::Object& object, const scheduler::ClusterCache& cluster) {
  if (created_.contains(object.metadata().uid)) return {};
  const std::string& namespace_ = object.metadata().namespace_;
  const auto refusal = [&](std::string_view why) {
    const std::string_view group = object.kind().group;
    return fmt::format("{}{}{} \"{}\" is forbidden: {}",
                       object.kind().plural,
                       group.empty() ? "" : ".",
                       group,
                       object.metadata().name,
                       why);
  };
  if (const std::string why = WhyNoPriority(object); !why.empty()) return refusal(why);
  if (const auto* pod = object.If<core::Pod>()) {
    const std::string broken = api::quota::BoundsBrokenBy(*pod, LimitRangesOf(namespace_));
    if (!broken.empty()) return refusal(broken);
  }
  std::optional<api::quota::Amounts> charge;
  std::vector<std::pair<core::ResourceQuota*, api::quota::Amounts>> changes;
  for (core::ResourceQuota& quota : quotas_) {
    if (quota.metadata.namespace_ != namespace_) continue;
    if (!charge) charge = api::quota::ChargeOf(object, SurroundingsOf(namespace_, cluster, now_));
    const auto used = api::quota::Charged(quota, object, *charge);
    if (!used) return refusal(used.error().message);
    if (used->has_value()) changes.emplace_back(&quota, **used);
  }
  for (auto& [quota, used] : changes) quota->status.used = std::move(used);
  created_.insert(object.metadata().uid);
  return {};
}

}  // namespace dray::planning::inline cluster
