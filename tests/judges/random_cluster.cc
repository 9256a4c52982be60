// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_cluster.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using allocator::DeviceId;
using Texts = std::vector<std::string_view>;

v1::DeviceSelector Selector(std::string expression) {
  return {.cel = v1::CELDeviceSelector{.expression = std::move(expression)}};
}

core::NodeSelectorRequirement RandomRequirement(Chance& chance) {
  switch (chance.Below(6)) {
    case 0: return {.key = "zone", .operator_ = "In", .values = {"z0"}};
    case 1: return {.key = "zone", .operator_ = "NotIn", .values = {"z1"}};
    case 2: return {.key = "rack", .operator_ = "Exists"};
    case 3: return {.key = "slots", .operator_ = "Gt", .values = {"4"}};
    case 4: return {.key = "slots", .operator_ = "Lt", .values = {"9"}};
    default: return {.key = "fabric", .operator_ = "DoesNotExist"};
  }
}

core::NodeSelector RandomNodeSelector(Chance& chance) {
  core::NodeSelector selector;
  selector.node_selector_terms.emplace_back();
  core::NodeSelectorTerm& term = selector.node_selector_terms.back();
  if (chance.Percent(15)) {
    term.match_fields.push_back({.key = "metadata.name", .operator_ = "In", .values = {"node-0"}});
  }
  if (term.match_fields.empty() || chance.Percent(50))
    term.match_expressions.push_back(RandomRequirement(chance));
  if (chance.Percent(25)) term.match_expressions.push_back(RandomRequirement(chance));
  // Two terms are a valid node selector, but a result's node selector cannot express them.
  if (chance.Percent(4)) {
    selector.node_selector_terms.push_back({.match_expressions = {RandomRequirement(chance)}});
  }
  return selector;
}

/// The nodes of a slice.
enum class Reach : uint8_t { kNode, kAllNodes, kSelector, kPerDevice };

struct PoolShape {
  std::string_view driver;
  std::string name;
  Reach reach = Reach::kAllNodes;
  std::string node;  // if kNode; empty: slices are spread over the nodes
  size_t parts = 1;  // slices with devices
};

class ClusterBuilder {
 public:
  ClusterBuilder(const Family& family, const ProblemOptions& options, Chance& chance)
      : family_(family), options_(options), chance_(chance) {
    cluster_.traits = RandomTraits(family, chance);
    cluster_.nodes = RandomNodes(chance.Between(1, options.nodes_max), chance);
    cluster_.classes = RandomClasses(family, chance);
  }

  Cluster Build() && {
    const int devices = options_.devices_max;
    const int gpus = chance_.Between(std::min(3, devices), std::max(3, devices * 2 / 3));
    AddDriver(kGpuDriver, gpus);
    if (gpus < devices && chance_.Percent(60))
      AddDriver(kNicDriver, chance_.Between(1, devices - gpus));
    Commit();
    chance_.Shuffle(cluster_.slices);
    return std::move(cluster_);
  }

 private:
  /// Adds pools of single nodes and pools of several nodes; a node reaches at most `count` devices.
  void AddDriver(std::string_view driver, int count) {
    const std::string_view stem = driver.substr(0, driver.find('.'));
    const bool has_shared = cluster_.traits.shared_pools && chance_.Percent(70);
    const int shared = has_shared ? chance_.Between(1, count) : 0;
    const int free = count * (100 - family_.committed) / 100;
    cluster_.supply.push_back({driver, std::max(1, free)});
    if (shared > 0) {
      const auto reach = chance_.Pick(std::array{
          Reach::kAllNodes, Reach::kSelector, Reach::kPerDevice, Reach::kPerDevice, Reach::kNode});
      AddPool({.driver = driver,
               .name = fmt::format("shared/{}", stem),
               .reach = reach,
               .parts = chance_.Below(3) + 1},
              NewHardware(driver, shared));
    }
    // Pools of two drivers may have the same name.
    const bool names_after_node = chance_.Percent(40);
    // Many real clusters have equal nodes.
    const bool are_alike = chance_.Percent(45);
    Hardware hardware;
    size_t parts = 0;
    for (const core::Node& node : cluster_.nodes) {
      const std::string& name = node.metadata.name;
      if (parts == 0 || !are_alike) {
        hardware = NewHardware(driver, chance_.Between((count - shared) * 2 / 3, count - shared));
        parts = chance_.Below(3) + 1;
      }
      if (hardware.devices.empty()) continue;
      AddPool({.driver = driver,
               .name = names_after_node ? name : fmt::format("{}-{}", name, stem),
               .reach = Reach::kNode,
               .node = name,
               .parts = parts},
              hardware);
    }
  }

  Hardware NewHardware(std::string_view driver, int count) {
    return RandomHardware(driver, count, family_, cluster_.traits, chance_);
  }

  void AddPool(const PoolShape& shape, Hardware hardware) {
    const size_t first = cluster_.slices.size();
    const v1::ResourceSlice empty = NewSlice(shape);
    if (!hardware.counter_sets.empty()) {
      v1::ResourceSlice slice = empty;
      slice.metadata.name = RandomSliceName(chance_);
      Place(shape, slice);
      slice.spec.shared_counters = std::move(hardware.counter_sets);
      cluster_.slices.push_back(std::move(slice));
    }
    const size_t parts = std::min(hardware.devices.size(), shape.parts);
    for (size_t part = 0; part < parts; ++part) {
      v1::ResourceSlice slice = empty;
      slice.metadata.name = RandomSliceName(chance_);
      const size_t size = hardware.devices.size();
      for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i)
        slice.spec.devices.push_back(hardware.devices[i]);
      Place(shape, slice);
      if (chance_.Percent(family_.skip))
        slice.spec.skip_node_operations = {"NodePrepareResources", "NodeUnprepareResources"};
      cluster_.slices.push_back(std::move(slice));
    }
    const size_t count = cluster_.slices.size() - first;
    for (size_t i = first; i < cluster_.slices.size(); ++i)
      cluster_.slices[i].spec.pool.resource_slice_count = static_cast<int64_t>(count);
    if (chance_.Percent(family_.pool_trouble)) MakeTrouble(first);
  }

  v1::ResourceSlice NewSlice(const PoolShape& shape) {
    v1::ResourceSlice slice;
    slice.spec.driver = shape.driver;
    slice.spec.pool.name = shape.name;
    slice.spec.pool.generation = chance_.Between(1, 3);
    return slice;
  }

  /// Sets the nodes of the slice.
  void Place(const PoolShape& shape, v1::ResourceSlice& slice) {
    v1::ResourceSliceSpec& spec = slice.spec;
    switch (shape.reach) {
      case Reach::kNode: spec.node_name = shape.node.empty() ? RandomNodeName() : shape.node; break;
      case Reach::kAllNodes: spec.all_nodes = true; break;
      case Reach::kSelector: spec.node_selector = RandomNodeSelector(chance_); break;
      case Reach::kPerDevice:
        spec.per_device_node_selection = true;
        for (v1::Device& device : spec.devices) PlaceDevice(device);
        break;
    }
  }

  void PlaceDevice(v1::Device& device) {
    const int choice = chance_.Between(0, 9);
    if (choice < 4) {
      device.all_nodes = true;
    } else if (choice < 7) {
      device.node_name = RandomNodeName();
    } else {
      device.node_selector = RandomNodeSelector(chance_);
    }
  }

  const std::string& RandomNodeName() { return chance_.Pick(cluster_.nodes).metadata.name; }

  /// Adds an error of publication to the pool whose slices begin at `first`.
  void MakeTrouble(size_t first) {
    std::vector<v1::ResourceSlice>& slices = cluster_.slices;
    v1::ResourceSlice extra = slices[first + chance_.Below(slices.size() - first)];
    extra.metadata.name = RandomSliceName(chance_);
    switch (chance_.Below(5)) {
      case 0:  // one slice is missing
        for (size_t i = first; i < slices.size(); ++i) ++slices[i].spec.pool.resource_slice_count;
        return;
      case 1:  // an old slice is still there
        --extra.spec.pool.generation;
        break;
      case 2:  // a newer generation begins, perhaps on another node
        ++extra.spec.pool.generation;
        if (extra.spec.node_name.has_value()) extra.spec.node_name = RandomNodeName();
        break;
      case 3:  // two devices have the same name
        for (size_t i = first; i < slices.size(); ++i) ++slices[i].spec.pool.resource_slice_count;
        ++extra.spec.pool.resource_slice_count;
        break;
      default:  // a device draws on a counter that does not exist
        if (!extra.spec.devices.empty()) {
          slices[first].spec.devices.push_back({.name = "odd"});
          auto& odd = slices[first].spec.devices.back();
          odd.consumes_counters.push_back({.counter_set = "nowhere"});
          odd.consumes_counters.back().counters["memory"] = {.value = Amount("1Gi")};
        }
        return;
    }
    slices.push_back(std::move(extra));
  }

  void Commit() {
    for (const v1::ResourceSlice& slice : cluster_.slices) {
      for (const v1::Device& device : slice.spec.devices) {
        if (!chance_.Percent(family_.committed)) continue;
        CommitDevice({slice.spec.driver, slice.spec.pool.name, device.name}, device);
      }
    }
    if (chance_.Percent(3))
      cluster_.allocated.devices.insert({std::string(kGpuDriver), "node-0", "gone"});
  }

  void CommitDevice(DeviceId id, const v1::Device& device) {
    const bool is_shared = device.allow_multiple_allocations.value_or(false);
    if (!is_shared || chance_.Percent(4)) {
      cluster_.allocated.devices.insert(std::move(id));
      return;
    }
    const int shares = chance_.Between(1, 2);
    const bool has_capacity = !chance_.Percent(4);
    for (int i = 0; i < shares; ++i) {
      if (!has_capacity || !chance_.Percent(3))
        cluster_.allocated.shares.insert({.device = id, .share = fmt::format("share-{}", i)});
      if (!has_capacity) continue;
      allocator::ConsumedCapacity& consumed = cluster_.allocated.capacity[id];
      for (const auto& [name, capacity] : device.capacity)
        consumed[name] += RandomAmount(name, chance_);
    }
  }

  const Family& family_;
  const ProblemOptions& options_;
  Chance& chance_;
  Cluster cluster_;
};

}  // namespace

std::string RandomSliceName(Chance& chance) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = "slice-";
  for (int i = 0; i < 6; ++i) name += chance.Pick(kLetters);
  return name;
}

std::vector<core::Node> RandomNodes(int count, Chance& chance) {
  std::vector<core::Node> nodes;
  for (int i = 0; i < count; ++i) {
    core::Node& node = nodes.emplace_back();
    node.metadata.name = fmt::format("node-{}", i);
    auto& labels = node.metadata.labels;
    labels["zone"] = fmt::format("z{}", chance.Below(2));
    if (chance.Percent(70)) labels["rack"] = fmt::format("r{}", chance.Below(3));
    labels["slots"] = chance.Pick(Texts{"3", "8", "12", "many"});
    if (chance.Percent(30)) labels["fabric"] = "on";
    if (chance.Percent(70)) node.status.declared_features = {"DRAOptionalNodeOperations"};
  }
  return nodes;
}

std::vector<v1::DeviceClass> RandomClasses(const Family& family, Chance& chance) {
  std::vector<v1::DeviceClass> classes;
  const auto add = [&](std::string_view name, const Texts& expressions) {
    v1::DeviceClass& added = classes.emplace_back();
    added.metadata.name = name;
    for (const std::string_view expression : expressions)
      added.spec.selectors.push_back(Selector(std::string(expression)));
    for (int i = 0; i < 2 && chance.Percent(family.config); ++i) {
      v1::DeviceClassConfiguration config;
      config.device_configuration.opaque = v1::OpaqueDeviceConfiguration{
          .driver = std::string(kGpuDriver),
          .parameters = api::RawJson(fmt::format(R"({{"class":"{}","number":{}}})", name, i))};
      added.spec.config.push_back(std::move(config));
    }
  };
  const std::string_view is_gpu = R"(device.driver == "gpu.example.com")";
  add("gpu", {is_gpu});
  add("nic", {R"(device.driver == "nic.example.com")"});
  add("any", {});
  add("ready",
      {R"("ready" in device.attributes[device.driver])",
       R"(device.attributes[device.driver].ready)"});
  add("a100", {is_gpu, R"(device.attributes["gpu.example.com"].model == "A100")"});
  return classes;
}

Cluster RandomCluster(const Family& family, const ProblemOptions& options, Chance& chance) {
  return ClusterBuilder(family, options, chance).Build();
}

}  // namespace dray::judges
