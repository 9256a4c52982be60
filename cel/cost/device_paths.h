// SPDX-License-Identifier: Apache-2.0
// Which part of the device an expression denotes, and how large that part can be (the limits of
// resource.k8s.io; dynamic-resource-allocation, cel/compile.go).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/cost/range.h"

namespace dray::cel::cost {

enum class DevicePart : uint8_t {
  kNone,     // no path at all: the value of a call, a literal
  kUnknown,  // a path that leads to nothing whose size is declared
  kDevice,
  kDriver,
  kMultipleAllocations,
  kAttributes,        // by domain, then by name
  kDomainAttributes,  // by name
  kAttribute,
  kCapacities,
  kDomainCapacities,
  kQuantity,
  kDomain,  // a key of kAttributes or kCapacities
  kId,      // a key of kDomainAttributes or kDomainCapacities
};

enum class DeviceStep : uint8_t { kKeys, kValues };

/// The size of a part; nothing if it is not declared.
std::optional<SizeRange> DeclaredSize(DevicePart part);

DevicePart Child(DevicePart part, DeviceStep step);
DevicePart Child(DevicePart part, std::string_view field);

/// A path from a variable to a part of it. Valid with its DevicePaths only.
struct DevicePath {
  DevicePart part = DevicePart::kNone;
  uint32_t cell = 0;  // see DevicePaths
  bool is_in_cell = false;
};

/// All paths of one estimate.
///
/// Upstream extends paths with Go's append, which writes into memory that extensions of the same
/// path share when there is room. For paths of the device there is room exactly after the inner
/// maps (three elements, room for four): of two paths to entries of one such map, the later one
/// decides what both denote. So a name of an attribute may be taken to be as long as an attribute
/// value. The numbers of admission depend on it.
class DevicePaths {
 public:
  static DevicePath Root(std::string_view variable);

  DevicePart PartAt(const DevicePath& path) const {
    return path.is_in_cell ? cells_[path.cell] : path.part;
  }
  DevicePath Extend(const DevicePath& path, DeviceStep step) {
    return Extend(path, Child(PartAt(path), step));
  }
  DevicePath Extend(const DevicePath& path, std::string_view field) {
    return Extend(path, Child(PartAt(path), field));
  }

 private:
  DevicePath Extend(const DevicePath& path, DevicePart child);

  std::vector<DevicePart> cells_;  // what the newest path into one inner map denotes
};

}  // namespace dray::cel::cost
