// SPDX-License-Identifier: Apache-2.0
// Rules for ResourceSlices. Rules for ObjectMeta are elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "api/resource_v1/slice.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

inline constexpr size_t kDevicesMax = 128;
/// The limit if a device has taints, consumes counters or has attributes that are lists.
inline constexpr size_t kCostlyDevicesMax = 64;
inline constexpr size_t kAttributesAndCapacitiesMax = 32;
inline constexpr size_t kAttributeValuesMax = 48;
inline constexpr size_t kAttributeTextMax = 64;
/// Longest key of an attribute or capacity that the path of an error shows completely.
inline constexpr size_t kDeviceKeyMax = 96;
inline constexpr size_t kCounterNameMax = 63;
inline constexpr size_t kValidValuesMax = 10;
inline constexpr size_t kTaintsMax = 16;
inline constexpr size_t kTaintsMaxBefore35 = 4;
inline constexpr size_t kConsumedSetsMax = 2;
inline constexpr size_t kCompatibilityGroupsMax = 2;
inline constexpr size_t kCounterSetsMax = 8;
/// Limit of one set and of one consumption; up to 1.34 of all sets, and of all consumptions of a
/// device.
inline constexpr size_t kCountersMax = 32;
/// Limit of the consumption of all devices of a slice up to 1.34.
inline constexpr size_t kSliceCountersMaxBefore35 = 1024;

/// `old` is null for a new slice. Cost is linear in the slice, apart from comparing the names of
/// devices.
std::vector<ErrorCause> ValidateSlice(const resource_v1::ResourceSlice& slice,
                                      const resource_v1::ResourceSlice* old,
                                      const Options& options);

// ------------------------------------------------------------------- shared by the rules of slices

/// Where the nodes of a slice's devices are selected.
enum class NodeSelection : uint8_t { kPerSlice, kPerDevice };

/// Shared counters by the name of their set.
using CounterNames = std::map<std::string_view, const Map<resource_v1::Counter>*>;

/// The parts of a slice that rules of a device need.
struct DeviceContext {
  NodeSelection node_selection = NodeSelection::kPerSlice;
  std::optional<CounterNames> counters = {};  // counters that can be consumed; not set if all can
};

/// `old` is the device of this name before the update, or null.
void CheckDevice(const resource_v1::Device& device,
                 const resource_v1::Device* old,
                 const DeviceContext& context,
                 const Path& path,
                 Findings& out);

// Rules for parts of a device. `path` is that of the device, unless documented otherwise.

void CheckAttributes(const resource_v1::Device& device, const Path& path, Findings& out);
/// `path` is that of the capacities.
void CheckCapacities(const resource_v1::Device& device,
                     const resource_v1::Device* old,
                     const Path& path,
                     Findings& out);
void CheckNodeAllocatable(const resource_v1::Device& device, const Path& path, Findings& out);

/// Checks the policy for requests of a capacity (KEP-5075); the capacity has a policy.
void CheckCapacityPolicy(const resource_v1::DeviceCapacity& capacity,
                         const Path& path,
                         Findings& out);

/// Named counters of a set; at least one.
void CheckCounters(const Map<resource_v1::Counter>& counters, const Path& path, Findings& out);

}  // namespace dray::api::validation::inline devices
