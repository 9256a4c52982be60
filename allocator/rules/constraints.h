// SPDX-License-Identifier: Apache-2.0
// What must hold between the devices of a claim: matchAttribute and distinctAttribute.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/rules/attribute_values.h"
#include "allocator/rules/pools.h"
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

/// How attributes are compared: one value with another, or as sets of values that have a value in
/// common or not (the feature DRAListTypeAttributes).
enum class AttributeForm : uint8_t { kSingle, kSets };

/// One constraint with the attributes it has accepted so far, in order; what is accepted last is
/// removed first. Whether one is accepted depends only on the set of those accepted before.
class Constraint {
 public:
  /// `constraint` has one of the two attributes set and outlives this.
  Constraint(const api::resource_v1::DeviceConstraint& constraint, AttributeForm form)
      : constraint_(&constraint), form_(form) {}

  /// Whether the constraint minds the devices of the request.
  bool Covers(const RequestName& request) const;
  /// Which attribute it looks at.
  const std::string& attribute_name() const;

  /// Accepts the attribute of one more device, or leaves everything as it was. `attribute` is what
  /// FindAttribute says, and outlives this; a device without is refused.
  bool Add(const api::resource_v1::DeviceAttribute* attribute);
  /// Undoes the last accepted Add.
  void RemoveLast();

 private:
  bool AddSingle(const api::resource_v1::DeviceAttribute& attribute);
  bool AddSet(const api::resource_v1::DeviceAttribute& attribute);

  const api::resource_v1::DeviceConstraint* constraint_;
  AttributeForm form_;
  std::vector<const api::resource_v1::DeviceAttribute*> singles_;
  /// For matchAttribute what all devices up to that one have in common.
  std::vector<AttributeValues> sets_;
};

/// Whether `names` names the request, by its base name or by base/alternative.
bool NamesRequest(std::span<const std::string> names, const RequestName& request);

}  // namespace dray::allocator
