// SPDX-License-Identifier: Apache-2.0
// The state of a pod's life according to its metadata and phase.
#pragma once

#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::api::pods {

/// Whether its containers have ended, successfully or not. The pod then needs no node, device or
/// resources.
inline bool HasEnded(const core_v1::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Annotation of a pod that its kubelet has made from a file; the API server only shows it.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

inline bool IsMirror(const meta_v1::ObjectMeta& pod) {
  return pod.annotations.find(kMirrorAnnotation) != pod.annotations.end();
}

/// The owner reference for an object that is made for the pod, and is deleted with it.
inline meta_v1::OwnerReference AsController(const meta_v1::ObjectMeta& pod) {
  return {.api_version = "v1", .kind = "Pod", .name = pod.name, .uid = pod.uid, .controller = true};
}

}  // namespace dray::api::pods
