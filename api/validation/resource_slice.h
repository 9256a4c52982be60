// SPDX-License-Identifier: Apache-2.0
// Rules for ResourceSlices and the devices in them (KEP-4381 and those built on it). ObjectMeta has
// rules of its own, which are not here.
//
// One thing upstream tells apart and these rules do not: an empty list in the document and none.
#pragma once

#include <cstddef>
#include <vector>

#include "api/resource_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation {

inline constexpr size_t kDevicesMax = 128;
/// As soon as one device has taints, consumes counters or has attributes that are lists.
inline constexpr size_t kCostlyDevicesMax = 64;
inline constexpr size_t kAttributesAndCapacitiesMax = 32;
inline constexpr size_t kAttributeValuesMax = 48;
inline constexpr size_t kAttributeTextMax = 64;
/// Longest key of an attribute or capacity that is shown whole in the path of an error.
inline constexpr size_t kDeviceKeyMax = 96;
inline constexpr size_t kCounterNameMax = 63;
inline constexpr size_t kValidValuesMax = 10;
inline constexpr size_t kTaintsMax = 16;
inline constexpr size_t kConsumedSetsMax = 2;
inline constexpr size_t kCompatibilityGroupsMax = 2;
inline constexpr size_t kCounterSetsMax = 8;
inline constexpr size_t kCountersMax = 32;

/// `old` null: the slice is new. Cost is linear in the slice, apart from names of devices, which
/// are compared with each other.
std::vector<Cause> ValidateSlice(const resource_v1::ResourceSlice& slice,
                                 const resource_v1::ResourceSlice* old);

// ------------------------------------------------------------------- shared by the rules of slices

/// Which nodes the devices of a slice are for.
enum class NodeSelection : uint8_t { kPerSlice, kPerDevice };

/// `old` is the device of this name before the update, or null.
void CheckDevice(const resource_v1::Device& device,
                 const resource_v1::Device* old,
                 NodeSelection node_selection,
                 const Path& path,
                 Findings& out);

/// What a capacity may be asked for (KEP-5075).
void CheckCapacityPolicy(const resource_v1::DeviceCapacity& capacity,
                         const Path& path,
                         Findings& out);

/// Named counters of a set; at least one.
void CheckCounters(const Map<resource_v1::Counter>& counters, const Path& path, Findings& out);

}  // namespace dray::api::validation
