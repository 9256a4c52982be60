// SPDX-License-Identifier: Apache-2.0
#include "api/pods/references.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/text/go_quote.h"

namespace dray::api::pods {
namespace {

namespace v1 = core_v1;

// `each(container)` of all containers of the pod, until it answers false.
template <class F>
bool EachContainer(const v1::PodSpec& spec, const F& each) {
  return std::ranges::all_of(spec.init_containers, each) &&
         std::ranges::all_of(spec.containers, each) &&
         std::ranges::all_of(spec.ephemeral_containers, [&](const v1::EphemeralContainer& one) {
           return each(one.ephemeral_container_common);
         });
}

// The names in the environment of a container.
template <class Container, class OfAll, class OfOne>
bool EachInEnvironment(const Container& container, OfAll of_all, OfOne of_one, const auto& say) {
  const auto from_all = [&](const auto& from) {
    const auto& reference = of_all(from);
    return !reference.has_value() || say(reference->local_object_reference.name);
  };
  const auto from_one = [&](const auto& variable) {
    if (!variable.value_from.has_value()) return true;
    const auto& reference = of_one(*variable.value_from);
    return !reference.has_value() || say(reference->local_object_reference.name);
  };
  return std::ranges::all_of(container.env_from, from_all) &&
         std::ranges::all_of(container.env, from_one);
}

// Wraps `visit` so that it is not called with empty names.
auto SkippingEmpty(const VisitName& visit) {
  return [&visit](const std::string& name) { return name.empty() || visit(name); };
}

bool VisitSecretsOf(const v1::VolumeSource& source, const auto& say) {
  const auto by_reference = [&](const auto& part) {
    return !part.has_value() || !part->secret_ref.has_value() || say(part->secret_ref->name);
  };
  if (source.azure_file.has_value()) return say(source.azure_file->secret_name);
  if (source.cephfs.has_value()) return by_reference(source.cephfs);
  if (source.cinder.has_value()) return by_reference(source.cinder);
  if (source.flex_volume.has_value()) return by_reference(source.flex_volume);
  if (source.projected.has_value()) {
    return std::ranges::all_of(source.projected->sources, [&](const v1::VolumeProjection& one) {
      return !one.secret.has_value() || say(one.secret->local_object_reference.name);
    });
  }
  if (source.rbd.has_value()) return by_reference(source.rbd);
  if (source.secret.has_value()) return say(source.secret->secret_name);
  if (source.scale_io.has_value()) return by_reference(source.scale_io);
  if (source.iscsi.has_value()) return by_reference(source.iscsi);
  if (source.storageos.has_value()) return by_reference(source.storageos);
  if (!source.csi.has_value()) return true;
  const auto& published = source.csi->node_publish_secret_ref;
  return !published.has_value() || say(published->name);
}

bool VisitConfigMapsOf(const v1::VolumeSource& source, const auto& say) {
  if (source.projected.has_value()) {
    return std::ranges::all_of(source.projected->sources, [&](const v1::VolumeProjection& one) {
      return !one.config_map.has_value() || say(one.config_map->local_object_reference.name);
    });
  }
  return !source.config_map.has_value() || say(source.config_map->local_object_reference.name);
}

// Volumes that a node makes by itself, or from sources outside the cluster.
bool IsOfNoObject(const v1::VolumeSource& source) {
  return source.aws_elastic_block_store || source.azure_disk || source.cephfs || source.cinder ||
         source.downward_api || source.empty_dir || source.fc || source.flex_volume ||
         source.flocker || source.gce_persistent_disk || source.git_repo || source.host_path ||
         source.image || source.iscsi || source.nfs || source.photon_persistent_disk ||
         source.portworx_volume || source.quobyte || source.rbd || source.scale_io ||
         source.storageos || source.vsphere_volume;
}

ReadObject ObjectReadFor(const v1::Volume& volume, const v1::ProjectedVolumeSource& projected) {
  for (const v1::VolumeProjection& one : projected.sources) {
    if (one.config_map) return {.what = "configmaps (via projected volumes)"};
    if (one.secret) return {.what = "secrets (via projected volumes)"};
    if (one.service_account_token) return {.what = "serviceaccounts (via projected volumes)"};
    if (one.cluster_trust_bundle) return {.what = "clustertrustbundles"};
    if (one.pod_certificate) return {.what = "podcertificates"};
    if (one.downward_api) continue;
    return {.what = fmt::format("unknown source for projected volume {}", GoQuote(volume.name)),
            .is_unknown = true};
  }
  return {};
}

ReadObject ObjectReadFor(const v1::Volume& volume) {
  const v1::VolumeSource& source = volume.volume_source;
  if (IsOfNoObject(source)) return {};
  if (source.config_map) return {.what = "configmaps (via configmap volumes)"};
  if (source.secret) return {.what = "secrets (via secret volumes)"};
  if (source.csi) return {.what = "csidrivers (via CSI volumes)"};
  if (source.glusterfs) return {.what = "endpoints (via glusterFS volumes)"};
  if (source.persistent_volume_claim) return {.what = "persistentvolumeclaims"};
  if (source.ephemeral) return {.what = "persistentvolumeclaims (via ephemeral volumes)"};
  if (source.azure_file) return {.what = "secrets (via azureFile volumes)"};
  if (source.projected) return ObjectReadFor(volume, *source.projected);
  return {.what = fmt::format("unknown volume type for volume  {}", GoQuote(volume.name)),
          .is_unknown = true};
}

}  // namespace

bool VisitSecrets(const v1::Pod& pod, const VisitName& visit) {
  const auto say = SkippingEmpty(visit);
  const auto of_container = [&](const auto& container) {
    return EachInEnvironment(
        container,
        [](const auto& from) -> const auto& { return from.secret_ref; },
        [](const auto& from) -> const auto& { return from.secret_key_ref; },
        say);
  };
  return std::ranges::all_of(pod.spec.image_pull_secrets,
                             [&](const auto& one) { return say(one.name); }) &&
         EachContainer(pod.spec, of_container) &&
         std::ranges::all_of(pod.spec.volumes, [&](const v1::Volume& volume) {
           return VisitSecretsOf(volume.volume_source, say);
         });
}

bool VisitConfigMaps(const v1::Pod& pod, const VisitName& visit) {
  const auto say = SkippingEmpty(visit);
  const auto of_container = [&](const auto& container) {
    return EachInEnvironment(
        container,
        [](const auto& from) -> const auto& { return from.config_map_ref; },
        [](const auto& from) -> const auto& { return from.config_map_key_ref; },
        say);
  };
  return EachContainer(pod.spec, of_container) &&
         std::ranges::all_of(pod.spec.volumes, [&](const v1::Volume& volume) {
           return VisitConfigMapsOf(volume.volume_source, say);
         });
}

std::string VolumeClaimOf(const v1::Pod& pod, const v1::Volume& volume) {
  const auto& claim = volume.volume_source.persistent_volume_claim;
  if (claim.has_value()) return claim->claim_name;
  if (!volume.volume_source.ephemeral.has_value()) return {};
  return pod.metadata.name + "-" + volume.name;
}

ReadObject ObjectReadFor(const v1::Pod& pod) {
  const auto never = [](const std::string& /*name*/) { return false; };
  if (!pod.spec.service_account_name.empty()) return {.what = "serviceaccounts"};
  if (!VisitSecrets(pod, never)) return {.what = "secrets"};
  if (!VisitConfigMaps(pod, never)) return {.what = "configmaps"};
  if (!pod.spec.resource_claims.empty()) return {.what = "resourceclaims"};
  for (const v1::Volume& volume : pod.spec.volumes) {
    ReadObject read = ObjectReadFor(volume);
    if (!read.what.empty()) return read;
  }
  return {};
}

}  // namespace dray::api::pods
