// SPDX-License-Identifier: Apache-2.0
// LimitRanges as new pods and volume claims meet them (upstream's admission plug-in LimitRanger).
#pragma once

#include <vector>

#include "api/core_v1/limit_range.h"
#include "api/object.h"
#include "api/quota/limit_ranges.h"
#include "base/result.h"
#include "store/snapshot.h"

namespace dray::server::verbs {

/// The ranges of the namespace of a new pod or volume claim, by name; none for other kinds. What
/// cannot be read is left out.
std::vector<api::core_v1::LimitRange> LimitRangesFor(const api::Object& object,
                                                     const store::Snapshot& snapshot);

/// Errors: kForbidden  a new pod or volume claim wants less or more than `ranges` allow.
Result<> CheckLimitRanges(const api::Object& object, api::quota::LimitRanges ranges);

}  // namespace dray::server::verbs
