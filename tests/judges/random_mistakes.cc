// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_mistakes.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "allocator/feature_switches.h"
#include "api/resource_v1/slice.h"
#include "dray/profile.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using Claims = std::vector<v1::ResourceClaim>;

v1::DeviceSelector MistakenSelector(std::string_view expression) {
  return {.cel = v1::CELDeviceSelector{.expression = std::string(expression)}};
}

v1::DeviceRequest& AnyRequest(Claims& claims, Chance& chance) {
  v1::DeviceClaim& claim = claims[chance.Below(claims.size())].spec.devices;
  return claim.requests[chance.Below(claim.requests.size())];
}

/// Calls `change` with the exact request, or with one of the alternatives.
template <class Change>
void ChangeRequest(Claims& claims, Chance& chance, Change change) {
  v1::DeviceRequest& request = AnyRequest(claims, chance);
  if (request.exactly.has_value()) {
    change(*request.exactly);
  } else {
    change(request.first_available[chance.Below(request.first_available.size())]);
  }
}

/// Null: there are no devices.
v1::Device* AnyDevice(Cluster& cluster, Chance& chance) {
  std::vector<v1::Device*> devices;
  for (v1::ResourceSlice& slice : cluster.slices) {
    for (v1::Device& device : slice.spec.devices) devices.push_back(&device);
  }
  return devices.empty() ? nullptr : devices[chance.Below(devices.size())];
}

v1::ResourceSlice& AnySlice(Cluster& cluster, Chance& chance) {
  return cluster.slices[chance.Below(cluster.slices.size())];
}

void MistakeInRequest(Claims& claims, Chance& chance) {
  const size_t kind = chance.Below(9);
  const auto count = chance.Pick(std::array<int64_t, 5>{-1, -40, 33, 1000, int64_t{1} << 62});
  const std::string_view amount = chance.Pick(std::array<std::string_view, 3>{"10E", "-1", "1m"});
  const bool is_missing = chance.Percent(50);
  ChangeRequest(claims, chance, [&](auto& request) {
    switch (kind) {
      case 0: request.device_class_name = is_missing ? "missing" : ""; break;
      case 1: request.allocation_mode = is_missing ? "" : "Some"; break;
      case 2: request.count = count; break;
      case 3: request.selectors.emplace_back(); break;  // without an expression
      case 4: request.selectors.push_back(MistakenSelector("device.driver ==")); break;
      case 5: request.selectors.push_back(MistakenSelector("device.driver")); break;  // no bool
      case 6: request.derived_attributes.push_back({"derived.example.com/side", "1 +"}); break;
      case 7:
        request.capacity.emplace();
        request.capacity->requests["unheard"] = Amount("1");
        break;
      default:
        request.capacity.emplace();
        request.capacity->requests["memory"] = Amount(amount);
        break;
    }
  });
}

void MistakeInClaim(Claims& claims, Chance& chance) {
  v1::DeviceClaim& claim = claims[chance.Below(claims.size())].spec.devices;
  switch (chance.Below(3)) {
    case 0: claim.constraints.emplace_back(); break;
    case 1: AnyRequest(claims, chance) = {.name = "neither"}; break;
    default:
      claim.constraints.emplace_back();
      claim.constraints.back().match_attribute = "gpu.example.com/unheard";
      break;
  }
}

void MistakeInDevice(v1::Device& device, Chance& chance) {
  switch (chance.Below(5)) {
    case 0: device.attributes["numa"] = {}; break;
    case 1: device.attributes["driverVersion"] = {.version = "one"}; break;
    case 2: device.node_name = "node-0"; break;  // the slice has no node selection per device
    case 3:
      for (auto& [name, capacity] : device.capacity) {
        capacity.request_policy = v1::CapacityRequestPolicy{
            .valid_range = v1::CapacityRequestPolicyRange{.min = Amount("1"), .step = Amount("0")}};
      }
      break;
    default:
      for (auto& [name, capacity] : device.capacity)
        capacity.request_policy = v1::CapacityRequestPolicy{.default_ = Amount("-1")};
      break;
  }
}

void MistakeInSlice(v1::ResourceSlice& slice, Chance& chance) {
  v1::ResourceSliceSpec& spec = slice.spec;
  switch (chance.Below(4)) {
    case 0:
      spec.node_name.reset();
      spec.node_selector.emplace();
      spec.node_selector->node_selector_terms.push_back(
          {.match_expressions = {{.key = "zone", .operator_ = "In"}}});  // no values
      break;
    case 1: spec.pool.resource_slice_count = chance.Between(-1, 1); break;
    case 2: spec.node_name = ""; break;
    default:
      if (spec.shared_counters.empty()) {
        spec.shared_counters.push_back({.name = "beside-devices"});
      } else {
        spec.shared_counters.push_back(spec.shared_counters.front());
      }
      break;
  }
}

}  // namespace

void MakeSelectorFail(Cluster& cluster, Claims& claims, Chance& chance) {
  constexpr std::array<std::string_view, 4> kLost = {"numa", "model", "ready", "index"};
  v1::Device* const device = AnyDevice(cluster, chance);
  if (device != nullptr && chance.Percent(60)) {
    device->attributes.erase(chance.Pick(kLost));
    return;
  }
  constexpr std::array<std::string_view, 3> kFailing = {
      R"(device.attributes["gpu.example.com"].index / device.attributes["gpu.example.com"].numa > 1)",
      R"(device.attributes["gpu.example.com"].index != 2 || device.attributes["gpu.example.com"].lost)",
      R"(device.attributes["nic.example.com"].lost == 1)"};
  const std::string_view expression = chance.Pick(kFailing);
  if (chance.Percent(25)) {
    cluster.classes[chance.Below(cluster.classes.size())].spec.selectors.push_back(
        MistakenSelector(expression));
    return;
  }
  ChangeRequest(claims, chance, [&](auto& request) {
    request.selectors.push_back(MistakenSelector(expression));
  });
}

void MakeMistake(Cluster& cluster, Claims& claims, allocator::Features& features, Chance& chance) {
  v1::Device* const device = AnyDevice(cluster, chance);
  switch (chance.Below(6)) {
    case 0:
    case 1: return MistakeInRequest(claims, chance);
    case 2: return MistakeInClaim(claims, chance);
    case 3: return device == nullptr ? void() : MistakeInDevice(*device, chance);
    case 4: return MistakeInSlice(AnySlice(cluster, chance), chance);
    default: features.*chance.Pick(allocator::FeatureSwitches()).on = false; return;
  }
}

}  // namespace dray::judges
