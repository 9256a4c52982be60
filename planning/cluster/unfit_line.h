// SPDX-License-Identifier: Apache-2.0
// What a running scheduler tells about a pod that gets no devices, besides upstream's words.
#pragma once

#include <string>

#include "base/world.h"
#include "scheduler/reports/unfit_pod.h"

namespace dray::planning::inline cluster {

/// In one line of at most kEventBytesMax bytes why the pod gets no devices, and the smallest kind
/// of change that would help; claims of other namespaces are not named, because whoever may read
/// about the pod need not know them. Empty: it gets them, or devices are not what it lacks.
/// Bounded by the bounds of UnfitPod and the steps of its searches.
std::string LineAbout(World& world, const scheduler::UnfitPod& unfit);

}  // namespace dray::planning::inline cluster
