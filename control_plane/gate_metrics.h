// SPDX-License-Identifier: Apache-2.0
// Metrics of this server's feature gates, for operators and `dray explain`.
#pragma once

#include "metrics/registry.h"
#include "server/registry/served_kinds.h"

namespace dray::control_plane {

/// Sets kubernetes_feature_enabled for each gate of the release, with its stage in Kubernetes'
/// words: ALPHA, BETA, or empty for GA.
void ReportGates(const server::registry::Emulation& emulation, metrics::Registry& registry);

}  // namespace dray::control_plane
