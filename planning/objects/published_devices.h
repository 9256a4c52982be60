// SPDX-License-Identifier: Apache-2.0
// The devices that manifests publish, for dray cel: the newest generation of each pool, on all
// nodes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "base/world.h"
#include "manifests/objects.h"

namespace dray::planning::inline objects {

/// One device and its place. Refers to its DeviceList.
struct PublishedDevice {
  std::string_view driver, pool;
  std::string_view node;  // empty: several nodes can reach it
  const api::resource_v1::Device* device = nullptr;

  /// "gpu.example.com/pool/gpu-0"
  std::string ToText() const;
};

/// How many terms the nodeSelector of a device has. With more than one, an allocator that takes the
/// device ends with an error (kubernetes#141212).
size_t SelectorTermsOf(const api::resource_v1::Device& device);

class DeviceList {
 public:
  /// The devices of all ResourceSlices of structured versions, with defaults, in the order of the
  /// manifests. The later of two slices with one name counts, as in a cluster; slices of a pool's
  /// older generations do not count. Adds a note for both.
  ///
  /// Errors: kBadRequest  no such ResourceSlice; the message names what the input has instead.
  static Result<DeviceList> Of(World& world, const manifests::Manifests& manifests);

  const std::vector<PublishedDevice>& devices() const { return devices_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<api::Object> slices_;  // ResourceSlices of v1
  std::vector<PublishedDevice> devices_;
  std::vector<std::string> notes_;
};

}  // namespace dray::planning::inline objects
