// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/cluster_indexes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/claims/pod_groups.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"

namespace dray::scheduler::inline cluster {

namespace core_v1 = api::core_v1;

std::vector<std::string> VolumeClaimsOf(const core_v1::Pod& pod) {
  std::vector<std::string> claims;
  for (const core_v1::Volume& volume : pod.spec.volumes) {
    const auto& named = volume.volume_source.persistent_volume_claim;
    if (named) claims.push_back(fmt::format("{}/{}", pod.metadata.namespace_, named->claim_name));
  }
  return claims;
}

ClusterIndexes::ClusterIndexes(ClusterObjects& objects, bool pod_groups)
    : objects_(objects), has_groups_(pod_groups) {
  claims_by_extended_pod_ = objects.claims.AddIndex([](const api::Object& claim, auto& values) {
    std::string uid = api::claims::PodOfExtendedClaim(claim.metadata()).uid;
    if (!uid.empty()) values.push_back(std::move(uid));
  });
  pods_by_volume_claim_ = objects.pods.AddIndex([](const api::Object& pod, auto& values) {
    std::ranges::move(VolumeClaimsOf(pod.As<core_v1::Pod>()), std::back_inserter(values));
  });
  if (!pod_groups) return;
  slices_by_pool_ = objects.slices.AddIndex([](const api::Object& slice, auto& values) {
    const auto& spec = slice.As<api::resource_v1::ResourceSlice>().spec;
    values.push_back(fmt::format("{}/{}", spec.driver, spec.pool.name));
  });
  pods_by_group_ = objects.pods.AddIndex([](const api::Object& pod, auto& values) {
    std::string group = api::claims::PodGroupKeyOf(pod.As<core_v1::Pod>());
    if (!group.empty()) values.push_back(std::move(group));
  });
}

client::Mirror::IndexedKeys ClusterIndexes::PodsOfGroup(std::string_view group_key) const {
  DRAY_CHECK(has_groups_);
  return objects_.pods.Indexed(pods_by_group_, group_key);
}

client::Mirror::IndexedKeys ClusterIndexes::SlicesOfPool(std::string_view pool) const {
  DRAY_CHECK(has_groups_);
  return objects_.slices.Indexed(slices_by_pool_, pool);
}

const api::Object* ClusterIndexes::LeftOverOf(std::string_view pod_uid) const {
  const auto& left_over = objects_.claims.Indexed(claims_by_extended_pod_, pod_uid);
  return left_over.empty() ? nullptr : objects_.claims.Find(*left_over.begin());
}

client::Mirror::IndexedKeys ClusterIndexes::PodsOfVolumeClaim(std::string_view claim) const {
  return objects_.pods.Indexed(pods_by_volume_claim_, claim);
}

}  // namespace dray::scheduler::inline cluster
