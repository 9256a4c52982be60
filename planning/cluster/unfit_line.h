// SPDX-License-Identifier: Apache-2.0
// The line that a running scheduler reports about a pod that gets no devices, besides upstream's
// words.
#pragma once

#include <string>

#include "base/world.h"
#include "scheduler/reports/unfit_pod.h"

namespace dray::planning::inline cluster {

/// Explains, in one line of at most kEventBytesMax bytes, why the pod gets no devices, and the
/// smallest kind of change that would help. Does not name claims of other namespaces, because
/// readers of the pod's events may have no access to them. Empty: the pod gets devices, or lacks
/// something else. Bounded by the limits of UnfitPod and the steps of its searches.
std::string LineAbout(World& world, const scheduler::UnfitPod& unfit);

}  // namespace dray::planning::inline cluster
