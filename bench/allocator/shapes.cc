// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/shapes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "bench/allocator/cluster_builder.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;

constexpr const char* kPcieRoot = "resource.kubernetes.io/pcieRoot";
constexpr size_t kPerSlice = 128;

std::vector<v1::Device> EqualDevices(size_t count, const char* pattern) {
  std::vector<v1::Device> devices(count);
  for (size_t i = 0; i < count; ++i) devices[i].name = fmt::format(fmt::runtime(pattern), i);
  return devices;
}

/// S1 to S3: many devices and a request for one; only the last fifth of each node's devices
/// satisfies it.
PlacementProblem Plain(size_t devices, size_t nodes) {
  ClusterBuilder cluster;
  cluster.AddClass("gpu", kGpuDriver);
  for (const std::string& node : cluster.AddNodes(nodes)) {
    std::vector<v1::Device> gpus = EqualDevices(devices, "gpu-{:04}");
    for (size_t i = 0; i < devices; ++i) {
      gpus[i].attributes["model"] = Text(i < devices * 4 / 5 ? "T4" : "A100");
      gpus[i].attributes["index"] = Number(static_cast<int64_t>(i));
      gpus[i].capacity["memory"].value = Amount("40Gi");
    }
    cluster.Publish(node, kGpuDriver, kPerSlice, std::move(gpus));
  }
  cluster.AddClaim(
      "claim",
      {Request("gpu",
               "gpu",
               1,
               {Selector(R"(device.attributes["gpu.example.com"].model == "A100" && )"
                         R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) )"
                         R"(>= 0)")})});
  return {std::move(cluster.problem()),
          {.allocated = nodes},
          fmt::format("one of {} devices, the last fifth matches, {} nodes", devices, nodes)};
}

/// S4: four GPUs and a NIC on one of two PCIe roots. In every four nodes one is free, one has the
/// NICs of the first root taken, one a GPU of the first root, and the last is unusable on both
/// roots.
PlacementProblem Aligned(size_t nodes) {
  constexpr size_t kDevices = 8;
  ClusterBuilder cluster;
  cluster.AddClass("gpu", kGpuDriver);
  cluster.AddClass("nic", kNicDriver);
  size_t number = 0;
  for (const std::string& node : cluster.AddNodes(nodes)) {
    std::vector<v1::Device> gpus = EqualDevices(kDevices, "gpu-{}");
    std::vector<v1::Device> nics = EqualDevices(kDevices, "nic-{}");
    for (size_t i = 0; i < kDevices; ++i) {
      const v1::DeviceAttribute root = Text(fmt::format("pci0000:{:02}", i % 2));
      gpus[i].attributes[kPcieRoot] = root;
      nics[i].attributes[kPcieRoot] = root;
    }
    cluster.Publish(node, kGpuDriver, kPerSlice, std::move(gpus));
    cluster.Publish(node, kNicDriver, kPerSlice, std::move(nics));
    const size_t state = number++ % 4;
    if (state == 1 || state == 3) {
      for (size_t i = 0; i < kDevices; i += 2)
        cluster.Take(kNicDriver, node, fmt::format("nic-{}", i));
    }
    if (state == 2) cluster.Take(kGpuDriver, node, "gpu-0");
    if (state == 3) cluster.Take(kGpuDriver, node, "gpu-1");
  }
  cluster.AddClaim("claim",
                   {Request("gpus", "gpu", 4), Request("nic", "nic", 1)},
                   {Match(kPcieRoot, {"gpus", "nic"})});
  return {std::move(cluster.problem()),
          {.allocated = nodes - nodes / 4, .none = nodes / 4},
          fmt::format("four GPUs and a NIC on one root, {} nodes, a quarter cannot", nodes)};
}

/// A MIG profile: where partitions can start on a card, and how much they take.
struct Profile {
  const char* name;
  int compute;
  int width;  // memory slices
  std::vector<int> starts;
};

const std::vector<Profile>& Profiles() {
  static const std::vector<Profile> kProfiles = {
      {"1g.5gb", 1, 1, {0, 1, 2, 3, 4, 5, 6}},
      {"1g.5gb.me", 1, 1, {0, 1, 2, 3, 4, 5, 6}},
      {"1g.10gb", 1, 2, {0, 2, 4, 6}},
      {"2g.10gb", 2, 2, {0, 2, 4}},
      {"3g.20gb", 3, 4, {0, 4}},
      {"4g.20gb", 4, 4, {0}},
      {"7g.40gb", 7, 8, {0}},
  };
  return kProfiles;
}

std::string PartitionName(size_t card, std::string profile, int start) {
  std::ranges::replace(profile, '.', '-');
  return fmt::format("gpu-{}-{}-{}", card, profile, start);
}

v1::CounterSet CountersOf(size_t card) {
  v1::CounterSet set;
  set.name = fmt::format("gpu-{}", card);
  set.counters["compute"].value = Amount("7");
  set.counters["media"].value = Amount("1");
  for (int slice = 0; slice < 8; ++slice)
    set.counters[fmt::format("memory-{}", slice)].value = Amount("1");
  return set;
}

v1::Device Partition(size_t card, const Profile& profile, int start) {
  v1::Device device;
  device.name = PartitionName(card, profile.name, start);
  device.attributes["profile"] = Text(profile.name);
  v1::DeviceCounterConsumption consumption;
  consumption.counter_set = fmt::format("gpu-{}", card);
  consumption.counters["compute"].value = Amount(std::to_string(profile.compute));
  for (int slice = start; slice < start + profile.width; ++slice)
    consumption.counters[fmt::format("memory-{}", slice)].value = Amount("1");
  if (std::string_view(profile.name) == "1g.5gb.me") {
    consumption.counters["media"].value = Amount("1");
  }
  device.consumes_counters.push_back(std::move(consumption));
  return device;
}

/// S5: eight cards with all their possible partitions. Seven are taken as a whole, the last one in
/// part: the wanted profile fits only in the second place.
PlacementProblem Partitions(size_t nodes) {
  constexpr size_t kCards = 8;
  ClusterBuilder cluster;
  cluster.problem().features.partitionable_devices = true;
  cluster.AddClass("mig", kGpuDriver);
  for (const std::string& node : cluster.AddNodes(nodes)) {
    std::vector<v1::Device> devices;
    std::vector<v1::CounterSet> counters;
    for (size_t card = 0; card < kCards; ++card) {
      counters.push_back(CountersOf(card));
      for (const Profile& profile : Profiles()) {
        for (const int start : profile.starts) devices.push_back(Partition(card, profile, start));
      }
      if (card + 1 < kCards) {
        cluster.Take(kGpuDriver, node, PartitionName(card, "7g.40gb", 0));
      } else {
        cluster.Take(kGpuDriver, node, PartitionName(card, "2g.10gb", 0));
        cluster.Take(kGpuDriver, node, PartitionName(card, "1g.5gb", 2));
      }
    }
    cluster.Publish(node, kGpuDriver, 64, std::move(devices), std::move(counters));
  }
  cluster.AddClaim(
      "claim",
      {Request("mig",
               "mig",
               1,
               {Selector(R"(device.attributes["gpu.example.com"].profile == "3g.20gb")")})});
  return {std::move(cluster.problem()),
          {.allocated = nodes},
          fmt::format("a partition of eight nearly full cards, {} nodes", nodes)};
}

/// S6: a request for one device more than exist.
PlacementProblem OneTooMany(size_t devices) {
  ClusterBuilder cluster;
  cluster.AddClass("gpu", kGpuDriver);
  for (const std::string& node : cluster.AddNodes(1))
    cluster.Publish(node, kGpuDriver, kPerSlice, EqualDevices(devices, "gpu-{:02}"));
  cluster.AddClaim("claim", {Request("gpu", "gpu", static_cast<int64_t>(devices) + 1)});
  return {std::move(cluster.problem()),
          {.none = 1},
          fmt::format("{} of {} equal devices", devices + 1, devices)};
}

v1::DeviceSubRequest Alternative(const char* name, const char* model, int64_t count) {
  v1::DeviceSubRequest alternative;
  alternative.name = name;
  alternative.device_class_name = "gpu";
  alternative.allocation_mode = "ExactCount";
  alternative.count = count;
  alternative.selectors.push_back(
      Selector(fmt::format(R"(device.attributes["gpu.example.com"].model == "{}")", model)));
  return alternative;
}

/// S7: alternatives: a model that no node has, three of one of which a node has two, or one of any.
PlacementProblem Alternatives(size_t nodes) {
  constexpr size_t kDevices = 8;
  ClusterBuilder cluster;
  cluster.problem().features.prioritized_list = true;
  cluster.AddClass("gpu", kGpuDriver);
  for (const std::string& node : cluster.AddNodes(nodes)) {
    std::vector<v1::Device> gpus = EqualDevices(kDevices, "gpu-{}");
    for (size_t i = 0; i < kDevices; ++i)
      gpus[i].attributes["model"] = Text(i < kDevices - 2 ? "T4" : "A100");
    cluster.Publish(node, kGpuDriver, kPerSlice, std::move(gpus));
  }
  v1::DeviceRequest request;
  request.name = "gpu";
  request.first_available.push_back(Alternative("best", "H100", 1));
  request.first_available.push_back(Alternative("good", "A100", 3));
  request.first_available.push_back(Alternative("any", "T4", 1));
  cluster.AddClaim("claim", {std::move(request)});
  return {std::move(cluster.problem()),
          {.allocated = nodes},
          fmt::format("the last of three alternatives, {} nodes", nodes)};
}

v1::Device SharedNic(size_t number) {
  v1::Device nic;
  nic.name = fmt::format("nic-{}", number);
  nic.allow_multiple_allocations = true;
  v1::DeviceCapacity& bandwidth = nic.capacity["bandwidth"];
  bandwidth.value = Amount("100G");
  v1::CapacityRequestPolicyRange range;
  range.min = Amount("1G");
  range.step = Amount("1G");
  bandwidth.request_policy =
      v1::CapacityRequestPolicy{.default_ = Amount("1G"), .valid_range = std::move(range)};
  return nic;
}

v1::DeviceRequest Share(const char* name, const char* bandwidth) {
  v1::DeviceRequest request = Request(name, "nic", 1);
  request.exactly->capacity.emplace().requests["bandwidth"] = Amount(bandwidth);
  return request;
}

/// S8: shares of network cards, each used by twenty claims already; three cards are too full for
/// the largest request.
PlacementProblem Shares(size_t nodes) {
  ClusterBuilder cluster;
  cluster.problem().features.consumable_capacity = true;
  cluster.AddClass("nic", kNicDriver);
  allocator::AllocatedState& allocated = cluster.problem().allocated;
  for (const std::string& node : cluster.AddNodes(nodes)) {
    std::vector<v1::Device> nics;
    for (size_t i = 0; i < 4; ++i) {
      nics.push_back(SharedNic(i));
      const allocator::DeviceId id{kNicDriver, node, nics.back().name};
      for (int share = 0; share < 20; ++share)
        allocated.shares.insert({.device = id, .share = fmt::format("share-{:02}", share)});
      allocated.capacity[id]["bandwidth"] = Amount(i == 3 ? "60G" : "94G");
    }
    cluster.Publish(node, kNicDriver, kPerSlice, std::move(nics));
  }
  cluster.AddClaim("claim",
                   {Share("small", "2500M"), Share("medium", "5G"), Share("large", "30G")});
  return {std::move(cluster.problem()),
          {.allocated = nodes},
          fmt::format("three shares of four busy NICs, {} nodes", nodes)};
}

struct NamedShape {
  std::string name;
  std::function<PlacementProblem()> make;
};

const std::vector<NamedShape>& Shapes() {
  static const std::vector<NamedShape> kShapes = {
      {"S1", [] { return Plain(10, 100); }},
      {"S2", [] { return Plain(100, 100); }},
      {"S3", [] { return Plain(1000, 100); }},
      {"S4", [] { return Aligned(500); }},
      {"S5", [] { return Partitions(100); }},
      {"S6-8", [] { return OneTooMany(8); }},
      {"S6-12", [] { return OneTooMany(12); }},
      {"S6-16", [] { return OneTooMany(16); }},
      {"S6-20", [] { return OneTooMany(20); }},
      {"S7", [] { return Alternatives(100); }},
      {"S8", [] { return Shares(100); }},
  };
  return kShapes;
}

}  // namespace

const std::vector<std::string>& ShapeNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> all;
    for (const NamedShape& shape : Shapes()) all.push_back(shape.name);
    return all;
  }();
  return kNames;
}

PlacementProblem MakeShape(std::string_view name) {
  const auto shape = std::ranges::find(Shapes(), name, &NamedShape::name);
  DRAY_CHECK(shape != Shapes().end());
  PlacementProblem work = shape->make();
  work.problem.id = name;
  return work;
}

judges::Problem AllDifferent(const judges::Problem& problem) {
  judges::Problem different = problem;
  different.id += " all different";
  int64_t serial = 0;
  for (auto& slice : different.slices) {
    auto changed = std::make_shared<v1::ResourceSlice>(*slice);
    for (v1::Device& device : changed->spec.devices) device.attributes["serial"] = Number(serial++);
    slice = std::move(changed);
  }
  for (api::core_v1::Node& node : different.nodes)
    node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
  return different;
}

}  // namespace dray::bench
