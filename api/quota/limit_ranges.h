// SPDX-License-Identifier: Apache-2.0
// LimitRanges: what containers of a namespace request when they do not say, and how much pods,
// containers and volume claims may want (upstream's admission plug-in LimitRanger).
#pragma once

#include <span>
#include <string>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"

namespace dray::api::quota {

using LimitRanges = std::span<const core_v1::LimitRange>;

/// Gives each container what it leaves out and a range has a default for, range after range, and
/// notes that in an annotation of the pod. O(containers × entries).
void FillIn(LimitRanges ranges, core_v1::Pod& pod);

/// Which bounds of the first range that has such are not kept, in upstream's words; empty when all
/// are.
std::string BoundsBrokenBy(const core_v1::Pod& pod, LimitRanges ranges);
/// The same; only the least and the most that may be requested count.
std::string BoundsBrokenBy(const core_v1::PersistentVolumeClaim& claim, LimitRanges ranges);

}  // namespace dray::api::quota
