// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/switched_off.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;

/// A claim that compares zones, and whose request has derived attributes if it `derives`.
api::Object ClaimThat(bool derives) {
  v1::ResourceClaim claim;
  claim.metadata = {.name = "c", .namespace_ = "default"};
  v1::DeviceRequest request{.name = "r"};
  request.exactly.emplace().device_class_name = "gpu";
  if (derives) request.exactly->derived_attributes.push_back({.name = "d.example/half"});
  claim.spec.devices.requests.push_back(std::move(request));
  claim.spec.devices.constraints.push_back({.match_attribute = "d.example/zone"});
  return api::Object::Of(std::move(claim));
}

Frozen<v1::ResourceSlice> SliceWith(const v1::DeviceAttribute& zone) {
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->spec.driver = "d.example";
  v1::Device device{.name = "gpu-0"};
  device.attributes["zone"] = zone;
  slice->spec.devices.push_back(std::move(device));
  return slice;
}

std::string Said(bool derives, const v1::DeviceAttribute& zone, bool are_on) {
  allocator::Features features;
  features.derived_attributes = are_on;
  features.list_type_attributes = are_on;
  const std::vector<api::Object> claims{ClaimThat(derives)};
  const std::vector<Frozen<v1::ResourceSlice>> slices{SliceWith(zone)};
  return SwitchedOff(claims, ListAttributes(slices), features);
}

TEST(SwitchedOff, NamesTheGateOfWhatIsAskedFor) {
  const v1::DeviceAttribute one{.string = "a"};
  v1::DeviceAttribute list;
  list.strings = {"a", "b"};
  EXPECT_EQ(Said(false, one, false), "");
  EXPECT_EQ(Said(true, list, true), "");
  EXPECT_EQ(Said(true, one, false),
            "request r of claim default/c has derived attributes, and the feature gate "
            "DRADerivedAttributes is off");
  EXPECT_EQ(Said(false, list, false),
            "the attribute d.example/zone is a list, which constraints understand with the feature "
            "gate DRAListTypeAttributes only; it is off");
}

}  // namespace
}  // namespace dray::planning::inline cluster
