// SPDX-License-Identifier: Apache-2.0
// The parts of the table of kinds other than pods and devices.
#pragma once

#include <span>

#include "server/registry/strategy.h"

namespace dray::server::registry {

/// Rows of workloads.
std::span<const Strategy> WorkloadStrategies();
/// Rows of services, storage, roles, settings and admission.
std::span<const Strategy> ClusterStrategies();
/// The row of CustomResourceDefinitions.
std::span<const Strategy> DefinitionStrategies();
/// The row of all custom kinds.
std::span<const Strategy> CustomStrategies();

}  // namespace dray::server::registry
