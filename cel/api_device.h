// SPDX-License-Identifier: Apache-2.0
// Devices of the API as selectors see them.
#pragma once

#include <string_view>

#include "api/resource_v1/slice.h"
#include "cel/device.h"

namespace dray::cel {

/// `device`, which `driver` publishes. Refers to both. If an attribute has several values,
/// upstream's order decides which one counts: lists before single values. O(attributes and
/// capacities).
Device DeviceOf(std::string_view driver, const api::resource_v1::Device& device);

}  // namespace dray::cel
