// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/big_cluster.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "api/codec/json.h"
#include "api/resource_v1/slice.h"
#include "bench/allocator/cluster_builder.h"
#include "bench/allocator/engine.h"
#include "bench/allocator/measure.h"
#include "bench/samples.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;

constexpr size_t kNodes = 5000;
constexpr size_t kDevices = 8;
constexpr size_t kTakenOfNode = 4;

v1::DeviceAttribute Version(std::string value) {
  v1::DeviceAttribute attribute;
  attribute.version = std::move(value);
  return attribute;
}

/// A GPU with the usual attributes of a driver: shared values, and unique names.
v1::Device Gpu(size_t node, size_t number) {
  v1::Device gpu;
  gpu.name = fmt::format("gpu-{}", number);
  gpu.attributes["type"] = Text("gpu");
  gpu.attributes["uuid"] =
      Text(fmt::format("GPU-{:08x}-{:04x}-4b7c-9d1e-1c2d3e4f5a6b", node, number));
  gpu.attributes["minor"] = Number(static_cast<int64_t>(number));
  gpu.attributes["productName"] = Text("NVIDIA A100-SXM4-40GB");
  gpu.attributes["brand"] = Text("Nvidia");
  gpu.attributes["architecture"] = Text("Ampere");
  gpu.attributes["cudaComputeCapability"] = Version("8.0.0");
  gpu.attributes["driverVersion"] = Version("550.54.15");
  gpu.attributes["resource.kubernetes.io/pcieRoot"] =
      Text(fmt::format("pci0000:{:02x}", number / 2));
  gpu.capacity["memory"].value = Amount("40Gi");
  return gpu;
}

ClusterBuilder BigCluster() {
  ClusterBuilder cluster;
  cluster.AddClass("gpu", kGpuDriver);
  size_t number = 0;
  for (const std::string& node : cluster.AddNodes(kNodes)) {
    std::vector<v1::Device> gpus;
    gpus.reserve(kDevices);
    for (size_t i = 0; i < kDevices; ++i) gpus.push_back(Gpu(number, i));
    for (size_t i = 0; i < kTakenOfNode; ++i) cluster.Take(kGpuDriver, node, gpus[i * 2].name);
    cluster.Publish(node, kGpuDriver, kDevices, std::move(gpus));
    ++number;
  }
  cluster.AddClaim("claim", {Request("gpu", "gpu", 1)});
  return cluster;
}

/// The bytes that malloc has given to this process.
double BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double JsonBytes(const judges::Problem& problem) {
  size_t bytes = 0;
  std::string json;
  for (const auto& slice : problem.slices) {
    json.clear();
    api::EncodeJson(api::TypeOf<v1::ResourceSlice>(), slice.get(), json);
    bytes += json.size();
  }
  return static_cast<double>(bytes);
}

/// The duration of `run`, in nanoseconds.
template <class Run>
Samples TimesOf(size_t times, Run run) {
  Samples samples;
  for (size_t i = 0; i < times; ++i) {
    const double start = Nanoseconds();
    run();
    samples.Add(Nanoseconds() - start);
  }
  return samples;
}

}  // namespace

void MeasureBigCluster() {
  const double before_objects = BytesInUse();
  ClusterBuilder cluster = BigCluster();
  const judges::Problem& problem = cluster.problem();
  const double objects = BytesInUse() - before_objects;
  const double json = JsonBytes(problem);
  fmt::print(
      "{} nodes x {} devices, {} of them allocated; slices are {:.1f} MB of JSON, {:.1f} MB "
      "decoded\n",
      kNodes,
      kDevices,
      problem.allocated.devices.size(),
      json / 1e6,
      objects / 1e6);

  const Samples build = TimesOf(5, [&] { const ForkedState state(problem); });
  fmt::print("build from decoded objects: {} (bar: 500 ms)\n", MedianAndMax(build));

  const double before = BytesInUse();
  const ForkedState state(problem);
  const double bytes = BytesInUse() - before;
  fmt::print(
      "memory beside the objects: {:.1f} MB, {:.2f} x their JSON (bar: 1.5); with the objects "
      "it refers to {:.1f} x\n",
      bytes / 1e6,
      bytes / json,
      (bytes + objects) / json);

  const double once = TimesOf(5, [&] { state.ForkAndRevert(); }).median();
  const size_t forks = once < 1e5 ? 1000 : 1;  // so that the clock's own cost is negligible
  const Samples fork = TimesOf(21, [&] {
    for (size_t i = 0; i < forks; ++i) state.ForkAndRevert();
  });
  const allocator::DeviceId device{kGpuDriver, problem.nodes[0].metadata.name, "gpu-1"};
  const Samples changed = TimesOf(21, [&] { state.ForkTakeAndRevert(device); });
  const auto each = static_cast<double>(forks);
  fmt::print("fork and revert: {} (max {}; bar: 1 us); with one claim committed in between: {}\n",
             Duration(fork.median() / each),
             Duration(fork.max() / each),
             MedianAndMax(changed));
}

}  // namespace dray::bench
