// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/pod_likeness.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/resource_v1/claim.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// Whether the volume concerns only the pod's own containers.
bool IsPrivate(const core::VolumeSource& source) {
  return source.secret.has_value() || source.config_map.has_value() ||
         source.downward_api.has_value() || source.projected.has_value() ||
         source.empty_dir.has_value();
}

/// Clears members that only the container itself sees.
template <class Containers>
void ForgetInsides(Containers& containers) {
  for (auto& container : containers) {
    container.volume_mounts.clear();
    container.env.clear();
    container.command.clear();
    container.args.clear();
  }
}

core::Pod WithoutIdentity(const core::Pod& pod) {
  core::Pod bare;
  bare.metadata = {.namespace_ = pod.metadata.namespace_,
                   .labels = pod.metadata.labels,
                   .annotations = pod.metadata.annotations,
                   .owner_references = pod.metadata.owner_references};
  bare.spec = pod.spec;
  bare.spec.hostname.clear();
  std::erase_if(bare.spec.volumes,
                [](const core::Volume& volume) { return IsPrivate(volume.volume_source); });
  ForgetInsides(bare.spec.containers);
  ForgetInsides(bare.spec.init_containers);
  for (core::PodResourceClaim& entry : bare.spec.resource_claims) entry = {.name = entry.name};
  bare.status.nominated_node_name = pod.status.nominated_node_name;
  return bare;
}

}  // namespace

std::string LikenessOf(const core::Pod& pod, std::span<const api::Object> claims) {
  const bool has_own_volume = std::ranges::any_of(pod.spec.volumes, [](const core::Volume& volume) {
    return volume.volume_source.ephemeral.has_value();
  });
  if (has_own_volume) return {};
  std::string text;
  api::EncodeJson(api::Object::Of(WithoutIdentity(pod)), text);
  for (const api::Object& object : claims) {
    const auto& claim = object.As<v1::ResourceClaim>();
    v1::ResourceClaim wanted;
    if (claim.status.allocation.has_value()) {
      wanted.metadata.name = claim.metadata.name;
    } else {
      wanted.spec = claim.spec;
    }
    api::EncodeJson(api::Object::Of(std::move(wanted)), text);
  }
  return text;
}

bool IsOfAllAlike(std::string_view said, std::span<const api::Object> claims) {
  return std::ranges::none_of(
      claims, [&](const api::Object& claim) { return said.contains(claim.metadata().name); });
}

}  // namespace dray::planning::inline cluster
