// SPDX-License-Identifier: Apache-2.0
// Plugin PodTopologyLabels: pods have the zone and region of their node as labels.
#pragma once

#include "api/object.h"
#include "api/release.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// The releases in which pods get the labels of their binding (gate PodTopologyLabelsAdmission).
inline constexpr api::Releases kBindingsCarryLabels{.first = 35};

/// Copies these labels to a binding, and to a pod that is created with a node.
Result<> CopyTopologyLabels(const Call& call,
                            const store::Snapshot& snapshot,
                            const Write& write,
                            api::Object* object);

}  // namespace dray::server::verbs::admission
