// SPDX-License-Identifier: Apache-2.0
// The addresses in the status of a pod: its own, and those of its node.
#pragma once

#include "api/core_v1/pod_status.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline workloads {

/// Checks that new addresses are addresses, that there is at most one of IPv4 and one of IPv6, and
/// that podIP and hostIP are the first of their lists. `path` is that of the status.
void CheckPodAddresses(const core_v1::PodStatus& status,
                       const core_v1::PodStatus& old,
                       const Path& path,
                       FieldErrors& errors);

}  // namespace dray::api::validation::inline workloads
