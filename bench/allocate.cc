// SPDX-License-Identifier: Apache-2.0
// One call of the literal search on a node with 8, 100 and 1000 devices: one device is asked for by
// class and expression, and only the last fifth of the devices matches.
//
//   allocate_bench [flags of Google Benchmark]
//   allocate_bench --dump     the same problems as JSON Lines, for another engine
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "allocator/allocator.h"
#include "api/json.h"
#include "cel/selector_cache.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
namespace v1 = api::resource_v1;

constexpr size_t kDevicesPerSlice = 128;
constexpr size_t kDeviceCounts[] = {8, 100, 1000};
constexpr const char* kDriver = "gpu.example.com";

struct Problem {
  std::vector<Frozen<v1::ResourceSlice>> slices;
  std::vector<Frozen<v1::DeviceClass>> classes;
  std::vector<Frozen<v1::ResourceClaim>> claims;
  api::core_v1::Node node;
};

v1::Device MakeDevice(size_t index, size_t count) {
  v1::Device device;
  device.name = fmt::format("gpu-{:04}", index);
  device.attributes["model"].string = index >= count * 4 / 5 ? "A100" : "T4";
  device.attributes["index"].int_ = static_cast<int64_t>(index);
  device.capacity["memory"].value = api::Quantity::Parse("40Gi").value_or(api::Quantity());
  return device;
}

v1::DeviceSelector Selector(std::string expression) {
  v1::DeviceSelector selector;
  selector.cel = v1::CELDeviceSelector{.expression = std::move(expression)};
  return selector;
}

Problem MakeProblem(size_t devices) {
  Problem problem;
  problem.node.metadata.name = "node-0";
  const size_t slices = (devices + kDevicesPerSlice - 1) / kDevicesPerSlice;
  for (size_t i = 0; i < slices; ++i) {
    auto slice = std::make_shared<v1::ResourceSlice>();
    slice->metadata.name = fmt::format("node-0-{:02}", i);
    slice->spec.driver = kDriver;
    slice->spec.pool = {
        .name = "node-0", .generation = 1, .resource_slice_count = static_cast<int64_t>(slices)};
    slice->spec.node_name = "node-0";
    for (size_t d = i * kDevicesPerSlice; d < std::min(devices, (i + 1) * kDevicesPerSlice); ++d) {
      slice->spec.devices.push_back(MakeDevice(d, devices));
    }
    problem.slices.push_back(std::move(slice));
  }
  auto device_class = std::make_shared<v1::DeviceClass>();
  device_class->metadata.name = "gpu";
  device_class->spec.selectors.push_back(Selector(R"(device.driver == "gpu.example.com")"));
  problem.classes.push_back(std::move(device_class));
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata.namespace_ = "default";
  claim->metadata.name = "claim";
  v1::DeviceRequest request;
  request.name = "gpu";
  request.exactly = v1::ExactDeviceRequest{
      .device_class_name = "gpu",
      .selectors = {Selector(
          R"(device.attributes["gpu.example.com"].model == "A100" && )"
          R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0)")},
      .allocation_mode = "ExactCount",
      .count = 1};
  claim->spec.devices.requests.push_back(std::move(request));
  problem.claims.push_back(std::move(claim));
  return problem;
}

void LiteralSearch(benchmark::State& state) {
  const auto devices = static_cast<size_t>(state.range(0));
  const Problem problem = MakeProblem(devices);
  const auto inventory = allocator::Inventory::Build(problem.slices, problem.classes);
  const auto taken = std::make_shared<const allocator::AllocatedState>();
  const auto selectors = std::make_shared<cel::SelectorCache>(cel::Environment(), 100);
  while (state.KeepRunning()) {
    const allocator::Allocator allocator(inventory, taken, selectors);
    const Result<allocator::Outcome> outcome = allocator.Allocate(problem.node, problem.claims, {});
    if (!outcome || !std::holds_alternative<allocator::Allocation>(*outcome)) {
      state.SkipWithError("nothing was allocated");
      break;
    }
  }
}
BENCHMARK(LiteralSearch)->Arg(8)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

template <class T>
std::string Array(const std::vector<Frozen<T>>& objects) {
  std::string json = "[";
  for (const Frozen<T>& object : objects) {
    if (json.size() > 1) json += ',';
    api::EncodeJson(api::TypeOf<T>(), object.get(), json);
  }
  return json + "]";
}

void Dump() {
  for (const size_t devices : kDeviceCounts) {
    const Problem problem = MakeProblem(devices);
    fmt::print(
        R"({{"id":"{}","features":[],"nodes":[{{"name":"node-0"}}],"classes":{},"slices":{},"claims":{}}})"
        "\n",
        devices,
        Array(problem.classes),
        Array(problem.slices),
        Array(problem.claims));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--dump") {
    Dump();
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
