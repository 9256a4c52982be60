// SPDX-License-Identifier: Apache-2.0
// Finds the pods of objects of unknown kinds (RayCluster, LeaderWorkerSet, JobSet, PyTorchJob, …)
// by the shape of the object, because pod templates look the same in all kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace dray::manifests {

/// The most templates of one object; the rest is ignored.
inline constexpr size_t kTemplatesMax = 100;
/// The most pods of one template; a larger number counts as this.
inline constexpr int64_t kTemplatePodsMax = 1'000'000;

/// A pod template in an object.
struct PodTemplate {
  std::string path;   // "spec.workerGroupSpecs[0].template"
  std::string label;  // a DNS label for the names of its pods: "worker"; unique in the object
  std::string json;   // of the template: its metadata and spec
  int64_t count = 1;  // pods
  bool is_suspended = false;
};

/// The pod templates in the spec of an object, in the order of the text: values with
/// spec.containers under keys named `template`, `templates` or ending in `Template` or `Templates`.
/// The number of pods is the product of all `replicas`, `parallelism` (`completions` if that is
/// less) and `count` on the path to the template; a LeaderWorkerSet's `size` counts too. A
/// `suspend: true` on the path suspends it. The depth of `json` is limited only by the JSON reader;
/// O(depth × text).
std::vector<PodTemplate> PodTemplatesIn(std::string_view json);

/// The origin of a Job that stands for a pod template.
struct TemplateSource {
  std::string kind, name;  // of the object
  std::string path;        // of the template there
};

/// Jobs that stand for the pod templates of `json`, an object of `kind`: each runs as many pods as
/// its template requests, and the object owns it. Empty for an object with an owner, because it
/// runs the owner's pods. Invalid templates are left out.
std::vector<api::Object> JobsFor(std::string_view kind, std::string_view json);

/// The origin of such a Job; absent for every other object.
std::optional<TemplateSource> SourceOf(const api::Object& object);

/// "Deployment default/web"; for such a Job the object that it stands for, "RayCluster default/l".
std::string WrittenNameOf(const api::Object& object);

}  // namespace dray::manifests
