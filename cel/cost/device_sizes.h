// SPDX-License-Identifier: Apache-2.0
// How large the parts of the device can be (the limits of resource.k8s.io;
// dynamic-resource-allocation, cel/compile.go).
#pragma once

#include "cel/cost/paths.h"

namespace dray::cel::cost {

/// The sizes of the variable `device`. No other variable has declared sizes.
const SizeSource& DeviceSizes();

}  // namespace dray::cel::cost
