// SPDX-License-Identifier: Apache-2.0
// Validates the placement of a pod: affinity, spreading, gates, and host ports.
#pragma once

#include <optional>
#include <vector>

#include "api/core_v1/affinity.h"
#include "api/core_v1/container.h"
#include "api/core_v1/pod_spec.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline workloads {

void CheckAffinity(const core_v1::Affinity& affinity, const Path& path, FieldErrors& errors);

void CheckSpreadConstraints(const std::vector<core_v1::TopologySpreadConstraint>& constraints,
                            const Path& path,
                            FieldErrors& errors);

void CheckSchedulingGates(const std::vector<core_v1::PodSchedulingGate>& gates,
                          const Path& path,
                          FieldErrors& errors);

/// The ports of one container.
void CheckContainerPorts(const std::vector<core_v1::ContainerPort>& ports,
                         const Path& path,
                         FieldErrors& errors);
/// Checks that no two of `containers`, which run at the same time, use the same host port.
void CheckHostPorts(const std::vector<core_v1::Container>& containers,
                    const Path& path,
                    FieldErrors& errors);
/// The same for containers that run one after the other, each checked alone.
void CheckHostPortsOfEach(const std::vector<core_v1::Container>& containers,
                          const Path& path,
                          FieldErrors& errors);

}  // namespace dray::api::validation::inline workloads
