// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/device_changes.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "base/check.h"

namespace dray::planning::inline capacity {
namespace {

namespace v1 = api::resource_v1;

template <class T>
T ParsedJson(std::string_view text) {
  T value;
  DRAY_CHECK(api::DecodeJson(api::TypeOf<T>(), text, &value, nullptr).has_value());
  return value;
}

/// A slice of the driver d for the node of the same name; `devices` are names.
Frozen<v1::ResourceSlice> Slice(std::string_view node, const std::vector<std::string>& devices) {
  std::vector<std::string> list;
  for (const std::string& device : devices)
    list.push_back(fmt::format(R"({{"name":"{}"}})", device));
  return std::make_shared<v1::ResourceSlice>(ParsedJson<v1::ResourceSlice>(fmt::format(
      R"({{"metadata":{{"name":"{0}"}},"spec":{{"driver":"d","nodeName":"{0}","pool":{{"name":"{0}","resourceSliceCount":1}},"devices":[{1}]}}}})",
      node,
      fmt::join(list, ","))));
}

Frozen<v1::ResourceClaim> Claim(std::string_view name,
                                std::string_view pool,
                                std::string_view device) {
  return std::make_shared<v1::ResourceClaim>(ParsedJson<v1::ResourceClaim>(fmt::format(
      R"({{"metadata":{{"namespace":"a","name":"{}"}},"status":{{"allocation":{{"devices":{{"results":[{{"request":"r","driver":"d","pool":"{}","device":"{}"}}]}}}}}}}})",
      name,
      pool,
      device)));
}

std::map<std::string, api::Object> Cordoned(const std::string& name) {
  auto node = ParsedJson<api::core_v1::Node>(
      fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"unschedulable":true}}}})", name));
  std::map<std::string, api::Object> nodes;
  nodes.emplace(name, api::Object::Of(std::move(node)));
  return nodes;
}

std::string TextOf(const std::optional<DeviceSituation>& situation) {
  if (!situation.has_value()) return "absent";
  const std::string claims = fmt::format("{}", fmt::join(situation->claims, "+"));
  return fmt::format(
      "{}{}{}", DeviceStateName(situation->state), claims.empty() ? "" : " ", claims);
}

/// "n/x on n: free -> used a/c", a line for each change.
std::string Changes(const DeviceFacts& before, const DeviceFacts& after) {
  std::string text;
  const auto changes = DeviceChanges(before, after, {});
  DRAY_CHECK(changes.has_value());
  for (const DeviceChange& one : *changes) {
    text += fmt::format("{}/{} on {}: {} -> {}\n",
                        one.pool,
                        one.device,
                        one.node,
                        TextOf(one.before),
                        TextOf(one.after));
  }
  return text;
}

TEST(DeviceChanges, HasOnlyDevicesWhoseStateOrClaimsDiffer) {
  const DeviceFacts before{
      .slices = {Slice("n", {"w", "x", "y", "z"})},
      .claims = {Claim("c", "n", "x"), Claim("d", "n", "w"), Claim("e", "n", "z")},
      .nodes = {}};
  DeviceFacts after = before;
  EXPECT_EQ(Changes(before, after), "");
  after.claims = {Claim("c", "n", "y"), Claim("f", "n", "w"), Claim("e", "n", "z")};
  EXPECT_EQ(Changes(before, after),
            "n/w on n: used a/d -> used a/f\n"
            "n/x on n: used a/c -> free\n"
            "n/y on n: free -> used a/c\n");
}

TEST(DeviceChanges, HasDevicesThatComeAndGo) {
  const DeviceFacts before{
      .slices = {Slice("m", {"x"})}, .claims = {Claim("c", "m", "x")}, .nodes = {}};
  const DeviceFacts after{.slices = {Slice("n", {"x"})}, .claims = {}, .nodes = {}};
  EXPECT_EQ(Changes(before, after),
            "m/x on m: used a/c -> absent\n"
            "n/x on n: absent -> free\n");
}

TEST(DeviceChanges, ANodeThatIsClosedChangesItsFreeDevices) {
  const DeviceFacts before{
      .slices = {Slice("n", {"x", "y"})}, .claims = {Claim("c", "n", "x")}, .nodes = {}};
  DeviceFacts after = before;
  after.nodes = Cordoned("n");
  EXPECT_EQ(Changes(before, after), "n/y on n: free -> cordoned\n");
}

}  // namespace
}  // namespace dray::planning::inline capacity
