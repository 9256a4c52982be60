// SPDX-License-Identifier: Apache-2.0
// The patterns of pods inside an object of a kind that has a schema. Those in objects of other
// kinds are found by their shape (pod_templates.h).
#pragma once

#include <string>
#include <vector>

#include "api/core_v1/pod_template.h"
#include "api/object.h"

namespace dray::manifests {

struct TypedTemplate {
  std::string path;                                     // "spec.jobTemplate.spec.template"
  const api::core_v1::PodTemplateSpec* pods = nullptr;  // part of the object
};

/// All that the schema of its kind has and the object fills, in the order of its fields. O(size).
std::vector<TypedTemplate> TypedTemplatesIn(const api::Object& object);

}  // namespace dray::manifests
