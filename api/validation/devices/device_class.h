// SPDX-License-Identifier: Apache-2.0
// Rules for DeviceClasses. Rules for ObjectMeta are elsewhere.
#pragma once

#include <string_view>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

/// `old` is null for a new class. Unchanged values are not checked against limits that were
/// introduced later.
std::vector<ErrorCause> ValidateDeviceClass(const resource_v1::DeviceClass& device_class,
                                            const resource_v1::DeviceClass* old,
                                            const Options& options);

/// Whether pods can request a resource of this name beside cpu and memory, and quotas count it.
bool IsExtendedResourceName(std::string_view name);

}  // namespace dray::api::validation::inline devices
