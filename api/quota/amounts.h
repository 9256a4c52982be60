// SPDX-License-Identifier: Apache-2.0
// Amounts by their names in ResourceQuotas.
#pragma once

#include "api/value/map.h"
#include "api/value/quantity.h"

namespace dray::api::quota {

/// Amounts by the names in quotas: "pods", "requests.cpu", "count/resourceclaims.resource.k8s.io",
/// "gpu.deviceclass.resource.k8s.io/devices".
using Amounts = Map<Quantity>;

}  // namespace dray::api::quota
