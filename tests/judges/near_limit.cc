// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/near_limit.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/slice.h"
#include "tests/judges/random_claims.h"
#include "tests/judges/random_devices.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using Claims = std::vector<v1::ResourceClaim>;

void BeginCluster(const Family& family,
                  const ProblemOptions& options,
                  Cluster& cluster,
                  Chance& chance) {
  cluster.nodes = RandomNodes(chance.Percent(80) ? 1 : options.nodes_max, chance);
  cluster.classes = RandomClasses(family, chance);
}

/// Publishes one pool, in one slice or two, for the only node or for all.
void Publish(std::string_view driver, Hardware hardware, Cluster& cluster, Chance& chance) {
  v1::ResourceSlice slice;
  slice.spec.driver = driver;
  slice.spec.pool.name = "pool";
  slice.spec.pool.generation = 1;
  if (cluster.nodes.size() == 1 && chance.Percent(70)) {
    slice.spec.node_name = "node-0";
  } else {
    slice.spec.all_nodes = true;
  }
  const size_t parts = hardware.devices.size() > 1 && chance.Percent(30) ? 2 : 1;
  slice.spec.pool.resource_slice_count =
      static_cast<int64_t>(parts + (hardware.counter_sets.empty() ? 0 : 1));
  const size_t size = hardware.devices.size();
  for (size_t part = 0; part < parts; ++part) {
    v1::ResourceSlice with_devices = slice;
    with_devices.metadata.name = RandomSliceName(chance);
    for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i)
      with_devices.spec.devices.push_back(hardware.devices[i]);
    cluster.slices.push_back(std::move(with_devices));
  }
  if (hardware.counter_sets.empty()) return;
  slice.metadata.name = RandomSliceName(chance);
  slice.spec.shared_counters = std::move(hardware.counter_sets);
  cluster.slices.push_back(std::move(slice));
}

v1::DeviceRequest Exactly(std::string name, std::string_view device_class, int count) {
  v1::DeviceRequest request{.name = std::move(name)};
  request.exactly = v1::ExactDeviceRequest{.device_class_name = std::string(device_class),
                                           .allocation_mode = "ExactCount",
                                           .count = count};
  return request;
}

v1::DeviceSelector LongSelector(std::string_view expression) {
  return {.cel = v1::CELDeviceSelector{.expression = std::string(expression)}};
}

v1::ResourceClaim& NewClaim(Claims& claims) {
  v1::ResourceClaim& claim = claims.emplace_back();
  claim.metadata.name = fmt::format("claim-{}", claims.size() - 1);
  claim.metadata.namespace_ = "default";
  return claim;
}

/// Splits a demand of `total` devices over a few requests of a few claims.
void Split(int total,
           std::string_view device_class,
           const ProblemOptions& options,
           Claims& claims,
           Chance& chance) {
  const int claims_count = chance.Between(1, options.claims_max);
  for (int i = 0; i < claims_count; ++i) {
    const bool is_last_claim = i + 1 == claims_count;
    v1::DeviceClaim& claim = NewClaim(claims).spec.devices;
    const int requests_count = chance.Between(1, std::min(3, options.requests_max));
    for (int k = 0; k < requests_count; ++k) {
      const bool is_last = is_last_claim && k + 1 == requests_count;
      const int count = is_last ? std::max(1, total) : chance.Between(1, std::max(1, total / 2));
      total -= count;
      claim.requests.push_back(Exactly(fmt::format("r{}", k), device_class, count));
    }
  }
}

/// Adds a last request that has candidates, but never enough of them.
void AddHopeless(const ProblemOptions& options, Claims& claims, Chance& chance) {
  auto& requests = claims.back().spec.devices.requests;
  if (std::ssize(requests) >= options.requests_max) requests.pop_back();
  v1::DeviceRequest request = Exactly("late", "gpu", chance.Between(2, 3));
  request.exactly->selectors.push_back(
      LongSelector(R"(device.attributes["gpu.example.com"].index < 2)"));
  requests.push_back(std::move(request));
}

Hardware Equal(int count) {
  Hardware hardware;
  for (int i = 0; i < count; ++i) {
    v1::Device& device = hardware.devices.emplace_back();
    device.name = fmt::format("gpu-{}", i);
    device.attributes["model"] = {.string = "A100"};
    device.attributes["ready"] = {.bool_ = true};
    device.attributes["index"] = {.int_ = i};
    device.attributes["numa"] = {.int_ = 0};
    device.capacity["memory"] = {.value = Amount("16Gi")};
  }
  return hardware;
}

/// Groups of equal size, except that one may have one device more; each has a root and a number.
Hardware Groups(int groups, int size, bool one_is_larger, Chance& chance) {
  Hardware hardware = Equal(groups * size + (one_is_larger ? 1 : 0));
  const int larger = chance.Between(0, groups - 1);
  int index = 0;
  for (v1::Device& device : hardware.devices) {
    const int group = index < groups * size ? index % groups : larger;
    device.attributes["numa"] = {.int_ = group};
    device.attributes["resource.kubernetes.io/pcieRoot"] = {.string =
                                                                fmt::format("pci0000:0{}", group)};
    ++index;
  }
  return hardware;
}

/// A claim for as many devices of one group as only the largest group has, perhaps with one device
/// of another kind from the same group.
Claims WantOfOneGroup(const ProblemOptions& options, Cluster& cluster, Chance& chance) {
  const int groups = chance.Between(2, 4);
  const int size = std::max(1, chance.Between(1, (options.devices_max - 2) / groups));
  Publish(kGpuDriver, Groups(groups, size, chance.Percent(50), chance), cluster, chance);
  Claims claims;
  v1::DeviceClaim& claim = NewClaim(claims).spec.devices;
  const int wanted = size + 1;
  if (chance.Percent(50) || wanted < 2 || options.requests_max < 2) {
    claim.requests.push_back(Exactly("r0", "gpu", wanted));
  } else {
    const int first = chance.Between(1, wanted - 1);
    claim.requests.push_back(Exactly("r0", "gpu", first));
    claim.requests.push_back(Exactly("r1", "gpu", wanted - first));
  }
  v1::DeviceConstraint same;
  same.match_attribute =
      chance.Percent(50) ? "resource.kubernetes.io/pcieRoot" : "gpu.example.com/numa";
  claim.constraints.push_back(std::move(same));
  if (options.claims_max > 1 && chance.Percent(40))
    NewClaim(claims).spec.devices.requests.push_back(Exactly("r0", "gpu", 1));
  return claims;
}

/// Devices that draw on one counter, which has one unit less than needed, exactly enough, or one
/// more.
Claims WantOfOneCounter(const ProblemOptions& options, Cluster& cluster, Chance& chance) {
  const int count = chance.Between(3, options.devices_max);
  const int wanted = chance.Between(2, count - 1);
  Hardware hardware = Equal(count);
  std::vector<int> costs;
  for (v1::Device& device : hardware.devices) {
    const int cost = chance.Percent(60) ? 2 : chance.Between(1, 4);
    costs.push_back(cost);
    device.consumes_counters.push_back({.counter_set = "card"});
    device.consumes_counters.back().counters["units"] = {.value = api::Quantity::FromInt(cost)};
  }
  std::ranges::sort(costs);
  int cheapest = 0;
  for (int i = 0; i < wanted; ++i) cheapest += costs[static_cast<size_t>(i)];
  v1::CounterSet card{.name = "card"};
  card.counters["units"] = {.value = api::Quantity::FromInt(cheapest + chance.Between(-1, 1))};
  hardware.counter_sets.push_back(std::move(card));
  cluster.traits.counters = true;
  Publish(kGpuDriver, std::move(hardware), cluster, chance);
  Claims claims;
  Split(wanted, "gpu", options, claims, chance);
  return claims;
}

/// Claims with overlapping candidates: a wrong choice for the first makes the last one fail.
Claims WantTheSameFew(const ProblemOptions& options, Cluster& cluster, Chance& chance) {
  const int count = chance.Between(3, std::max(3, options.devices_max - 2));
  Publish(kGpuDriver, Equal(count), cluster, chance);
  Claims claims;
  const int claims_count = chance.Between(2, std::max(2, options.claims_max));
  int left = count + chance.Between(-1, 1);
  for (int i = 0; i < claims_count; ++i) {
    const int wanted = i + 1 == claims_count ? left : chance.Between(1, std::max(1, left / 2));
    if (wanted <= 0) break;
    left -= wanted;
    v1::DeviceRequest request = Exactly("r0", "gpu", wanted);
    // Later claims may have fewer candidates.
    const int bound = std::max(wanted, count - i * chance.Between(0, 2)) - chance.Between(0, 1);
    request.exactly->selectors.push_back(
        LongSelector(fmt::format(R"(device.attributes["gpu.example.com"].index < {})", bound)));
    NewClaim(claims).spec.devices.requests.push_back(std::move(request));
  }
  return claims;
}

}  // namespace

Claims MakeSymmetric(const Family& family,
                     const ProblemOptions& options,
                     Cluster& cluster,
                     Chance& chance) {
  BeginCluster(family, options, cluster, chance);
  const int count = chance.Between(std::min(3, options.devices_max), options.devices_max);
  Publish(kGpuDriver, Equal(count), cluster, chance);
  int free = count;
  for (int i = 0; i < count; ++i) {
    if (!chance.Percent(family.committed)) continue;
    cluster.allocated.devices.insert({std::string(kGpuDriver), "pool", fmt::format("gpu-{}", i)});
    --free;
  }
  Claims claims;
  const bool is_hopeless = chance.Percent(30);
  Split(free + (is_hopeless ? -2 : chance.Between(-1, 1)), "gpu", options, claims, chance);
  if (is_hopeless) AddHopeless(options, claims, chance);
  return claims;
}

Claims MakeTight(const Family& family,
                 const ProblemOptions& options,
                 Cluster& cluster,
                 Chance& chance) {
  BeginCluster(family, options, cluster, chance);
  switch (chance.Below(3)) {
    case 0: return WantOfOneGroup(options, cluster, chance);
    case 1: return WantOfOneCounter(options, cluster, chance);
    default: return WantTheSameFew(options, cluster, chance);
  }
}

}  // namespace dray::judges
