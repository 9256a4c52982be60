// SPDX-License-Identifier: Apache-2.0
// What happens to the devices of a cluster, as values; a Snapshot applies them (<dray/snapshot.h>).
#pragma once

#include <string>
#include <variant>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/device_id.h"

namespace dray::allocator::inline v0 {

/// The slice or class with this name was removed.
struct SliceRemoved {
  std::string name;
};
struct ClassRemoved {
  std::string name;
};

/// A change of the slices and classes of a cluster. A slice or class is added, or replaces the one
/// with its name.
using ClusterChange = std::variant<Frozen<api::resource_v1::ResourceSlice>,
                                   SliceRemoved,
                                   Frozen<api::resource_v1::DeviceClass>,
                                   ClassRemoved>;

/// A device and its allocation from now on (no value: it is free).
struct DeviceUseChange {
  DeviceId device;
  DeviceUse use;
};

}  // namespace dray::allocator::inline v0
