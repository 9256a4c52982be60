// SPDX-License-Identifier: Apache-2.0
// Pods that objects of unknown kinds ask for (RayCluster, LeaderWorkerSet, JobSet, PyTorchJob, …):
// found by the shape of the object, because pod templates look alike in all kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace dray::manifests {

/// Templates of one object; further ones are passed over.
inline constexpr size_t kTemplatesMax = 100;
/// Pods of one template at most: a larger number counts as this.
inline constexpr int64_t kTemplatePodsMax = 1'000'000;

/// A pod template in an object.
struct PodTemplate {
  std::string path;   // "spec.workerGroupSpecs[0].template"
  std::string label;  // a DNS label for the names of its pods: "worker"; unique in the object
  std::string json;   // of the template: its metadata and spec
  int64_t count = 1;  // pods
  bool is_suspended = false;
};

/// The pod templates in the spec of an object, in the order of the text: values of keys named
/// `template`, `templates` or ending in `Template` or `Templates` that have spec.containers. The
/// number of pods is the product of all `replicas`, `parallelism` (`completions` if that is less)
/// and `count` on the way to the template; a LeaderWorkerSet's `size` counts too. A `suspend: true`
/// on the way suspends it. Without limit on the depth of `json` but that of JSON; O(depth × text).
std::vector<PodTemplate> PodTemplatesIn(std::string_view json);

/// Where the pods of a Job come from that stands for a pod template.
struct TemplateSource {
  std::string kind, name;  // of the object
  std::string path;        // of the template there
};

/// The Jobs that stand for the pod templates of `json`, an object of `kind`: each runs as many pods
/// as its template asks for, and belongs to the object. Nothing for an object that belongs to
/// another one, whose pods it runs. Templates that cannot be read are left out.
std::vector<api::Object> JobsFor(std::string_view kind, std::string_view json);

/// Of such a Job; nothing for every other object.
std::optional<TemplateSource> SourceOf(const api::Object& object);

/// "Deployment default/web"; of such a Job the object that it stands for, "RayCluster default/l".
std::string WrittenNameOf(const api::Object& object);

}  // namespace dray::manifests
