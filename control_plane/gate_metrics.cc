// SPDX-License-Identifier: Apache-2.0
#include "control_plane/gate_metrics.h"

#include <string>

#include "api/feature_gates.h"

namespace dray::control_plane {
namespace {

std::string StageOf(const api::GateInfo& gate, api::Release release) {
  if (gate.beta.Rules(release)) return "BETA";
  return gate.on_by_default.Rules(release) ? "" : "ALPHA";
}

}  // namespace

void ReportGates(const server::registry::Emulation& emulation, metrics::Registry& registry) {
  const api::Release release = emulation.release;
  for (const api::GateInfo& gate : api::Gates()) {
    if (!gate.in.Rules(release)) continue;
    registry
        .GaugeOf({.name = "kubernetes_feature_enabled",
                  .help = "1 where the feature gate is on, 0 where it is off."},
                 {{"name", std::string(gate.name)}, {"stage", StageOf(gate, release)}})
        .Set(emulation.gates.Has(gate.gate) ? 1 : 0);
  }
}

}  // namespace dray::control_plane
