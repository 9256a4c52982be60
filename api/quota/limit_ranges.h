// SPDX-License-Identifier: Apache-2.0
// LimitRanges: default requests and limits of containers in a namespace, and bounds for pods,
// containers and volume claims (upstream's admission plug-in LimitRanger).
#pragma once

#include <span>
#include <string>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"

namespace dray::api::quota {

using LimitRanges = std::span<const core_v1::LimitRange>;

/// Sets the missing values of each container for which a range has a default, range after range,
/// and notes that in an annotation of the pod. O(containers × entries).
void FillIn(LimitRanges ranges, core_v1::Pod& pod);

/// The violated bounds of the first range with violations, in upstream's words; empty if there are
/// none.
std::string BoundsBrokenBy(const core_v1::Pod& pod, LimitRanges ranges);
/// The same, checking only the minimum and the maximum of requests.
std::string BoundsBrokenBy(const core_v1::PersistentVolumeClaim& claim, LimitRanges ranges);

}  // namespace dray::api::quota
