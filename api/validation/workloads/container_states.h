// SPDX-License-Identifier: Apache-2.0
// A container that has ended, and is not to be started again, stays so.
#pragma once

#include "api/core_v1/pod.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline workloads {

/// Checks the states of all containers of `pod` against those of `old`. `path` is that of the
/// status. O(containers × log(containers)).
void CheckContainerStates(const core_v1::Pod& pod,
                          const core_v1::Pod& old,
                          const Path& path,
                          FieldErrors& errors);

}  // namespace dray::api::validation::inline workloads
