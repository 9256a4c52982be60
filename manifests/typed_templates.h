// SPDX-License-Identifier: Apache-2.0
// The pod templates inside an object of a kind that has a schema. pod_templates.h finds those in
// objects of other kinds by their shape.
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

/// All templates of the kind's schema that the object sets, in the order of its fields. O(size).
std::vector<TypedTemplate> TypedTemplatesIn(const api::Object& object);

}  // namespace dray::manifests
