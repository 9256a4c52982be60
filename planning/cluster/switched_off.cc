// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/switched_off.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
using allocator::Features;

/// A feature that is visible in requests.
struct RequestedFeature {
  bool Features::* on;
  std::string_view gate;
  std::string_view what;
  bool (*is_used)(const v1::DeviceRequest& request);
};

/// Whether `has` is true for the request or one of its alternatives.
template <class F>
bool AnyWay(const v1::DeviceRequest& request, F has) {
  return (request.exactly.has_value() && has(*request.exactly)) ||
         std::ranges::any_of(request.first_available, has);
}

constexpr RequestedFeature kRequested[] = {
    {&Features::prioritized_list,
     "DRAPrioritizedList",
     "alternatives",
     [](const v1::DeviceRequest& request) { return !request.first_available.empty(); }},
    {&Features::derived_attributes,
     "DRADerivedAttributes",
     "derived attributes",
     [](const v1::DeviceRequest& request) {
       return AnyWay(request, [](const auto& way) { return !way.derived_attributes.empty(); });
     }},
    {&Features::consumable_capacity,
     "DRAConsumableCapacity",
     "capacity",
     [](const v1::DeviceRequest& request) {
       return AnyWay(request, [](const auto& way) { return way.capacity.has_value(); });
     }},
    {&Features::admin_access,
     "DRAAdminAccess",
     "admin access",
     [](const v1::DeviceRequest& request) {
       return request.exactly.has_value() && request.exactly->admin_access.value_or(false);
     }}};

bool IsList(const v1::DeviceAttribute& attribute) {
  return !attribute.ints.empty() || !attribute.bools.empty() || !attribute.strings.empty() ||
         !attribute.versions.empty();
}

}  // namespace

std::set<std::string> ListAttributes(std::span<const Frozen<v1::ResourceSlice>> slices) {
  std::set<std::string> lists;
  for (const Frozen<v1::ResourceSlice>& slice : slices) {
    for (const v1::Device& device : slice->spec.devices) {
      for (const auto& [name, attribute] : device.attributes) {
        if (!IsList(attribute)) continue;
        lists.insert(name.contains('/') ? name : fmt::format("{}/{}", slice->spec.driver, name));
      }
    }
  }
  return lists;
}

std::string SwitchedOff(std::span<const api::Object> claims,
                        const std::set<std::string>& lists,
                        const Features& features) {
  for (const api::Object& object : claims) {
    const auto& claim = object.As<v1::ResourceClaim>();
    for (const v1::DeviceRequest& request : claim.spec.devices.requests) {
      for (const RequestedFeature& one : kRequested) {
        if (features.*one.on || !one.is_used(request)) continue;
        return fmt::format("request {} of claim {} has {}, and the feature gate {} is off",
                           request.name,
                           api::ObjectKey(claim.metadata),
                           one.what,
                           one.gate);
      }
    }
    if (features.list_type_attributes) continue;
    for (const v1::DeviceConstraint& constraint : claim.spec.devices.constraints) {
      const auto& name =
          constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
      if (!name.has_value() || !lists.contains(*name)) continue;
      return fmt::format(
          "the attribute {} is a list, which constraints understand with the feature gate "
          "DRAListTypeAttributes only; it is off",
          *name);
    }
  }
  return {};
}

}  // namespace dray::planning::inline cluster
