// SPDX-License-Identifier: Apache-2.0
// The claims that have devices, for explanations that name what is in the way.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "dray/device_id.h"

namespace dray::planning::inline explain {

/// "namespace/name".
std::string KeyOf(const api::resource_v1::ResourceClaim& claim);

/// A claim that has devices.
struct Holder {
  std::string claim;              // namespace/name
  std::string namespace_;         // of the claim
  std::string uid;                // of the claim
  std::vector<std::string> pods;  // its consumers; those that are no pods: "resource name"
  std::string since;              // its allocation or else creation; RFC 3339, may be empty
  auto operator<=>(const Holder&) const = default;
};

class Holders {
 public:
  /// Keeps the claims with an allocation, in this order. Admin access takes no device.
  /// O(devices taken × log).
  explicit Holders(std::vector<Frozen<api::resource_v1::ResourceClaim>> claims);

  size_t size() const { return claims_.size(); }
  /// Indexes of the claims that have the device or a share of it, in order.
  std::vector<size_t> Of(const allocator::DeviceIdView& device) const;
  /// The claim at an index.
  Holder At(size_t place) const;
  const api::resource_v1::ResourceClaim& ClaimAt(size_t place) const { return *claims_[place]; }

 private:
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims_;
  std::vector<std::pair<allocator::DeviceIdView, size_t>> taken_;  // sorted
};

}  // namespace dray::planning::inline explain
