// SPDX-License-Identifier: Apache-2.0
// What a pod's metadata and phase say to everybody who acts on pods.
#pragma once

#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::api::pods {

/// Whether its containers have run to their end, well or badly: it needs no node, no device and no
/// resources any more.
inline bool HasEnded(const core_v1::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Says of a pod that its kubelet has made it of a file; the API server only shows it.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

inline bool IsMirror(const meta_v1::ObjectMeta& pod) {
  return pod.annotations.find(kMirrorAnnotation) != pod.annotations.end();
}

/// The entry of metadata.ownerReferences of what is made for the pod, and goes with it.
inline meta_v1::OwnerReference AsController(const meta_v1::ObjectMeta& pod) {
  return {.api_version = "v1", .kind = "Pod", .name = pod.name, .uid = pod.uid, .controller = true};
}

}  // namespace dray::api::pods
