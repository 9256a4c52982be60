// SPDX-License-Identifier: Apache-2.0
// What must hold between the devices of a claim: matchAttribute and distinctAttribute.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/pools.h"
#include "api/resource_v1.h"

namespace dray::allocator {

/// The request a device is chosen for: a main request, perhaps with the alternative that was taken.
struct RequestName {
  std::string_view base;
  std::string_view alternative;  // empty when the request has none

  /// "request" or "request/alternative".
  std::string Full() const;
};

/// The attribute a constraint looks at; null when the device does not have it. An unqualified name
/// belongs to the domain of the driver.
const api::resource_v1::DeviceAttribute* FindAttribute(const DeviceEntry& device,
                                                       std::string_view qualified_name);

/// One constraint with the devices it has accepted so far, in order; what is accepted last is
/// removed first. Whether a device is accepted depends only on the set of those accepted before.
class Constraint {
 public:
  /// `constraint` has one of the two attributes set and outlives this.
  explicit Constraint(const api::resource_v1::DeviceConstraint& constraint)
      : constraint_(&constraint) {}

  /// Accepts the device, or leaves everything as it was. Devices of requests the constraint does
  /// not name are always accepted.
  bool Add(const RequestName& request, const DeviceEntry& device);
  /// Undoes the last accepted Add; `request` is the one it was called with.
  void Remove(const RequestName& request);

 private:
  bool Covers(const RequestName& request) const;
  bool Accepts(const api::resource_v1::DeviceAttribute& candidate) const;

  const api::resource_v1::DeviceConstraint* constraint_;
  std::vector<const api::resource_v1::DeviceAttribute*> accepted_;
};

/// Whether `names` names the request, by its base name or by base/alternative.
bool NamesRequest(std::span<const std::string> names, const RequestName& request);

}  // namespace dray::allocator
