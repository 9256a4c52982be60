// SPDX-License-Identifier: Apache-2.0
#include "planning/admission.h"

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

namespace dray::planning {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

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

/// What is used of a quota by what is stored.
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

Admission::Admission(std::vector<api::Object> quotas,
                     std::vector<api::Object> limit_ranges,
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
}

std::vector<core::LimitRange> Admission::LimitRangesOf(const std::string& namespace_) const {
  std::vector<core::LimitRange> ranges;
  for (const core::LimitRange& range : limit_ranges_) {
    if (range.metadata.namespace_ == namespace_) ranges.push_back(range);
  }
  return ranges;
}

void Admission::FillIn(core::Pod& pod) const {
  const auto ranges = LimitRangesOf(pod.metadata.namespace_);
  if (!ranges.empty()) api::quota::FillIn(ranges, pod);
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

}  // namespace dray::planning
