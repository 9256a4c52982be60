// SPDX-License-Identifier: Apache-2.0
// What must hold between the devices of a claim: matchAttribute and distinctAttribute.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/rules/attribute_values.h"
#include "allocator/rules/pools.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "dray/features.h"

namespace dray::allocator::rules {

/// The request a device is chosen for: a main request, perhaps with the alternative that was taken.
struct RequestName {
  std::string_view base;
  std::string_view alternative;  // empty when the request has none

  /// "request" or "request/alternative".
  std::string Full() const;
};

/// The attribute that a constraint reads; null when the device lacks it. An unqualified name
/// belongs to the domain of the driver.
const api::resource_v1::DeviceAttribute* FindAttribute(const DeviceEntry& device,
                                                       std::string_view qualified_name);

/// One constraint with the attributes it has accepted so far; what is accepted last is removed
/// first. Whether one is accepted depends only on the set of those accepted before, unless a rule
/// of the release says otherwise (set_match_never_widens, distinct_remembers_one).
class Constraint {
 public:
  /// `constraint` has one of the two attributes set and outlives this.
  Constraint(const api::resource_v1::DeviceConstraint& constraint, const Features& features);

  /// Whether the constraint covers the devices of the request.
  bool Covers(const RequestName& request) const;
  /// The name of the attribute that it reads.
  const std::string& attribute_name() const;

  /// Accepts the attribute of one more device of the request, or leaves everything as it was.
  /// `attribute` is what FindAttribute says, and outlives this as the texts of `request` do; a
  /// device without is refused.
  bool Add(const RequestName& request, const api::resource_v1::DeviceAttribute* attribute);
  /// Devices that a further one is compared with, and names that a request is looked for in.
  size_t size() const { return members_.size() + constraint_->requests.size(); }
  /// Undoes the last accepted Add, which was for that request.
  void RemoveLast(const RequestName& request);

 private:
  struct Member {
    std::string_view request;  // its base name
    const api::resource_v1::DeviceAttribute* attribute;
    /// The values that all members up to this one share, of a matchAttribute; only with lists.
    std::optional<AttributeValues> values;
  };

  bool AddMatching(Member member);
  bool AddDistinct(Member member);
  bool Clashes(const Member& candidate, const Member& other) const;
  void Forget(std::string_view request);

  const api::resource_v1::DeviceConstraint* constraint_;
  bool compares_sets_;  // the feature DRAListTypeAttributes: values in common, or none
  bool never_widens_;
  bool remembers_one_;  // of each request
  std::vector<Member> members_;
  size_t count_ = 0;  // of devices; those remembered may be fewer
};

/// Whether `names` names the request, by its base name or by base/alternative.
bool NamesRequest(std::span<const std::string> names, const RequestName& request);

}  // namespace dray::allocator::rules
