// SPDX-License-Identifier: Apache-2.0
// HorizontalPodAutoscaler of autoscaling/v1, whose one metric is a percentage of the requested CPU,
// against v2, which has a list. Upstream: pkg/apis/autoscaling/v1/conversion.go; it keeps metrics
// that v1 cannot express in annotations; Dray keeps them as it does for all versions (MergeBack).
#pragma once

#include "api/object.h"

namespace dray::api::conversion {

/// Adds the metric of `object`, if it is of autoscaling/v1, to `hub`.
void AutoscalerToHub(const Object& object, Object& hub);

/// Shows the CPU metric of `hub` in `object`, if that is of autoscaling/v1.
void AutoscalerFromHub(const Object& hub, Object& object);

}  // namespace dray::api::conversion
