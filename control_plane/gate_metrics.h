// SPDX-License-Identifier: Apache-2.0
// The feature gates of this server, as operators and `dray explain` read them.
#pragma once

#include "metrics/registry.h"
#include "server/registry/served_kinds.h"

namespace dray::control_plane {

/// Sets kubernetes_feature_enabled of each gate that the release has, with its stage as Kubernetes
/// names it: ALPHA, BETA, or nothing for GA.
void ReportGates(const server::registry::Emulation& emulation, metrics::Registry& registry);

}  // namespace dray::control_plane
