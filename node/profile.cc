// SPDX-License-Identifier: Apache-2.0
#include "node/profile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

enum class Value : uint8_t {
  kText,
  kInt,
  kBool,
  kVersion,
  kIndex,   // the number of the device
  kUuid,    // `text` followed by a UUID
  kListed,  // a text of the device's own, from `list`
};

using PerDevice = std::array<std::string_view, 8>;

struct AttributeRow {
  std::string_view name;
  Value value;
  std::string_view text = {};
  const PerDevice* list = nullptr;
  int64_t number = 0;  // of kInt and kBool
};

struct CapacityRow {
  std::string_view name, amount;
};

/// Eight devices of one driver.
struct DeviceRow {
  std::string_view driver;
  const PerDevice& names;
  std::span<const AttributeRow> attributes;
  std::span<const CapacityRow> capacity;
};

struct ProfileRow {
  std::string_view name;
  std::string_view cpu, memory;
  std::span<const DeviceRow> devices;
};

constexpr PerDevice kGpuNames = {
    "gpu-0", "gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-5", "gpu-6", "gpu-7"};
constexpr PerDevice kGpuBuses = {"0000:1b:00.0",
                                 "0000:43:00.0",
                                 "0000:52:00.0",
                                 "0000:61:00.0",
                                 "0000:9d:00.0",
                                 "0000:c3:00.0",
                                 "0000:d1:00.0",
                                 "0000:df:00.0"};
constexpr PerDevice kRoots = {"pci0000:15",
                              "pci0000:3f",
                              "pci0000:4e",
                              "pci0000:5d",
                              "pci0000:97",
                              "pci0000:bd",
                              "pci0000:cb",
                              "pci0000:d9"};
constexpr PerDevice kNicNames = {"pci-0000-18-00-0",
                                 "pci-0000-40-00-0",
                                 "pci-0000-4f-00-0",
                                 "pci-0000-5e-00-0",
                                 "pci-0000-9a-00-0",
                                 "pci-0000-c0-00-0",
                                 "pci-0000-ce-00-0",
                                 "pci-0000-dc-00-0"};
constexpr PerDevice kInterfaces = {"eth1", "eth2", "eth3", "eth4", "eth5", "eth6", "eth7", "eth8"};

constexpr AttributeRow kExampleGpu[] = {
    {"index", Value::kIndex},
    {"uuid", Value::kUuid, "gpu-"},
    {"model", Value::kText, "LATEST-GPU-MODEL"},
    {"driverVersion", Value::kVersion, "1.0.0"},
};
constexpr CapacityRow kExampleMemory[] = {{"memory", "80Gi"}};

constexpr AttributeRow kH100[] = {
    {"type", Value::kText, "gpu"},
    {"uuid", Value::kUuid, "GPU-"},
    {"productName", Value::kText, "NVIDIA H100 80GB HBM3"},
    {"brand", Value::kText, "Nvidia"},
    {"architecture", Value::kText, "Hopper"},
    {"cudaComputeCapability", Value::kVersion, "9.0.0"},
    {"driverVersion", Value::kVersion, "570.133.20"},
    {"cudaDriverVersion", Value::kVersion, "12.8.0"},
    {"pcieBusID", Value::kListed, {}, &kGpuBuses},
    {"resource.kubernetes.io/pcieRoot", Value::kListed, {}, &kRoots},
};
constexpr CapacityRow kH100Memory[] = {{"memory", "81559Mi"}};

constexpr AttributeRow kRdmaNic[] = {
    {"dra.net/ifName", Value::kListed, {}, &kInterfaces},
    {"dra.net/mtu", Value::kInt, {}, nullptr, 8896},
    {"dra.net/encapsulation", Value::kText, "ether"},
    {"dra.net/state", Value::kText, "up"},
    {"dra.net/type", Value::kText, "device"},
    {"dra.net/rdma", Value::kBool, {}, nullptr, 1},
    {"dra.net/virtual", Value::kBool, {}, nullptr, 0},
    {"resource.kubernetes.io/pcieRoot", Value::kListed, {}, &kRoots},
};

constexpr DeviceRow kExampleDevices[] = {
    {"gpu.example.com", kGpuNames, kExampleGpu, kExampleMemory},
};
constexpr DeviceRow kServerDevices[] = {
    {"gpu.nvidia.com", kGpuNames, kH100, kH100Memory},
    {"dra.net", kNicNames, kRdmaNic, {}},
};
constexpr ProfileRow kProfiles[] = {
    {"8-gpu-server", "192", "2Ti", kServerDevices},
    {"example", "64", "512Gi", kExampleDevices},
};

/// Amounts of this file are well-formed, as profile_test shows; a mistake reads as zero.
api::Quantity Amount(std::string_view text) {
  return api::Quantity::Parse(text).value_or(api::Quantity());
}

/// A UUID from a name: FNV-1a twice, in the form of version 8 (RFC 9562 5.8).
std::string UuidOf(std::string_view name) {
  const auto hash = [&](uint64_t value) {
    for (const char c : name) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return value;
  };
  const uint64_t high = hash(0xcbf29ce484222325ULL);
  const uint64_t low = hash(0x84222325cbf29ce4ULL);
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
                     high >> 32U,
                     (high >> 16U) & 0xffffU,
                     high & 0xfffU,
                     (low >> 48U & 0x3fffU) | 0x8000U,
                     low & 0xffffffffffffULL);
}

resource_v1::DeviceAttribute MakeAttribute(const AttributeRow& row,
                                           size_t index,
                                           std::string_view device_id) {
  resource_v1::DeviceAttribute attribute;
  switch (row.value) {
    case Value::kText: attribute.string = row.text; break;
    case Value::kInt: attribute.int_ = row.number; break;
    case Value::kBool: attribute.bool_ = row.number != 0; break;
    case Value::kVersion: attribute.version = row.text; break;
    case Value::kIndex: attribute.int_ = static_cast<int64_t>(index); break;
    case Value::kUuid: attribute.string = std::string(row.text) + UuidOf(device_id); break;
    case Value::kListed: attribute.string = (*row.list)[index]; break;
  }
  return attribute;
}

resource_v1::ResourceSlice MakeSlice(const DeviceRow& row, const std::string& node) {
  resource_v1::ResourceSlice slice;
  slice.metadata.name = fmt::format("{}-{}", node, row.driver);
  slice.spec.driver = row.driver;
  slice.spec.node_name = node;
  slice.spec.pool = {.name = node, .generation = 1, .resource_slice_count = 1};
  for (size_t i = 0; i < row.names.size(); ++i) {
    resource_v1::Device device;
    device.name = row.names[i];
    const std::string id = fmt::format("{}/{}/{}", row.driver, node, device.name);
    for (const AttributeRow& attribute : row.attributes) {
      device.attributes[std::string(attribute.name)] = MakeAttribute(attribute, i, id);
    }
    for (const CapacityRow& capacity : row.capacity) {
      device.capacity[std::string(capacity.name)].value = Amount(capacity.amount);
    }
    slice.spec.devices.push_back(std::move(device));
  }
  return slice;
}

core_v1::Node MakeNodeObject(const ProfileRow& profile, const std::string& name) {
  core_v1::Node node;
  node.metadata.name = name;
  node.metadata.labels = {{"kubernetes.io/arch", "amd64"},
                          {"kubernetes.io/hostname", name},
                          {"kubernetes.io/os", "linux"}};
  node.status.allocatable = {
      {"cpu", Amount(profile.cpu)}, {"memory", Amount(profile.memory)}, {"pods", Amount("110")}};
  node.status.capacity = node.status.allocatable;
  node.status.conditions.push_back({.type = "Ready",
                                    .status = "True",
                                    .reason = "KubeletReady",
                                    .message = "simulated node is ready"});
  node.status.addresses.push_back({.type = "Hostname", .address = name});
  node.status.node_info.operating_system = "linux";
  node.status.node_info.architecture = "amd64";
  node.status.node_info.kubelet_version = "dray-simulated";
  return node;
}

}  // namespace

std::vector<std::string_view> Profiles() {
  std::vector<std::string_view> names;
  for (const ProfileRow& profile : kProfiles) names.push_back(profile.name);
  return names;
}

bool HasProfile(std::string_view profile) {
  return std::ranges::find(kProfiles, profile, &ProfileRow::name) != std::end(kProfiles);
}

std::string ProfileNames() {
  return fmt::format("{}", fmt::join(Profiles(), ", "));
}

Result<SimulatedNode> MakeNode(std::string_view profile, size_t number) {
  const auto* row = std::ranges::find(kProfiles, profile, &ProfileRow::name);
  if (row == std::end(kProfiles)) {
    return Fail(StatusReason::kNotFound,
                fmt::format("no node profile \"{}\"; there are: {}", profile, ProfileNames()));
  }
  const std::string name = fmt::format("{}-{}", profile, number);
  SimulatedNode made{.node = MakeNodeObject(*row, name), .slices = {}};
  for (const DeviceRow& devices : row->devices) made.slices.push_back(MakeSlice(devices, name));
  return made;
}

}  // namespace dray::node
