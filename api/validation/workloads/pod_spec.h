// SPDX-License-Identifier: Apache-2.0
// Validates the spec of a pod or of a pod template.
#pragma once

#include "api/core_v1/pod_spec.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline workloads {

/// Whether it is the spec of a pod that a kubelet has made from a file.
enum class IsMirror : bool { kNo, kYes };

/// Containers, claims and tolerations of `spec`, which stands at `path`.
void CheckPodSpec(const core_v1::PodSpec& spec,
                  const Path& path,
                  FieldErrors& errors,
                  IsMirror is_mirror = IsMirror::kNo);

}  // namespace dray::api::validation::inline workloads
