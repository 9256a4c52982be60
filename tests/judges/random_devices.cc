// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_devices.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using Texts = std::vector<std::string_view>;

v1::DeviceAttribute Int(int64_t value) {
  return {.int_ = value};
}
v1::DeviceAttribute String(std::string_view value) {
  return {.string = std::string(value)};
}

/// A list of few values, so that lists of two devices often have a common value, and often not.
v1::DeviceAttribute RandomList(Chance& chance) {
  v1::DeviceAttribute attribute;
  const int count = chance.Between(1, 3);
  const int type = chance.Between(0, 5);
  for (int i = 0; i < count; ++i) {
    if (type < 2) {
      attribute.ints.push_back(chance.Between(0, 3));
    } else if (type < 4) {
      attribute.strings.emplace_back(chance.Pick(Texts{"fast", "spare", "new", "red"}));
    } else if (type == 4) {
      attribute.versions.emplace_back(chance.Pick(Texts{"1.0.0", "1.2.3", "2.0.0"}));
    } else {
      attribute.bools.emplace_back(chance.Percent(50));
    }
  }
  return attribute;
}

/// Lists of one type for all devices, so that selectors do not fail on them.
v1::DeviceAttribute RandomTags(Chance& chance) {
  v1::DeviceAttribute attribute;
  const int count = chance.Between(1, 3);
  for (int i = 0; i < count; ++i) {
    attribute.strings.emplace_back(chance.Pick(Texts{"fast", "spare", "new", "red"}));
  }
  return attribute;
}

void AddAttributes(v1::Device& device, int index, const Traits& traits, Chance& chance) {
  auto& attributes = device.attributes;
  attributes["model"] = String(chance.Percent(60) ? "A100" : "H100");
  attributes["numa"] = Int(chance.Percent(70) ? index % 2 : chance.Between(0, 2));
  attributes["index"] = Int(index);
  attributes["ready"] = {.bool_ = chance.Percent(80)};
  attributes["driverVersion"] = {
      .version = std::string(chance.Pick(Texts{"1.0.0", "1.2.3", "1.2.3", "2.0.0-rc.1"}))};
  if (chance.Percent(97)) {
    attributes["resource.kubernetes.io/pcieRoot"] = String(
        fmt::format("pci0000:0{}", chance.Percent(70) ? index / 2 % 3 : chance.Between(0, 2)));
  }
  if (!traits.lists) return;
  attributes["tags"] = RandomTags(chance);
  attributes["links"] = chance.Percent(85) ? RandomList(chance) : Int(chance.Between(0, 3));
}

v1::CapacityRequestPolicy Values(std::string_view standard, const Texts& texts) {
  v1::CapacityRequestPolicy policy{.default_ = Amount(standard)};
  for (const std::string_view text : texts) policy.valid_values.push_back(Amount(text));
  return policy;
}

struct RangeText {
  std::string_view standard, min, max, step;
};

v1::CapacityRequestPolicy Range(const RangeText& text) {
  const auto optional = [](std::string_view amount) {
    return amount.empty() ? std::optional<api::Quantity>() : Amount(amount);
  };
  return {.default_ = optional(text.standard),
          .valid_range = v1::CapacityRequestPolicyRange{
              .min = optional(text.min), .max = optional(text.max), .step = optional(text.step)}};
}

std::optional<v1::CapacityRequestPolicy> MemoryPolicy(Chance& chance) {
  switch (chance.Below(8)) {
    case 0: return Values("4Gi", {"4Gi", "8Gi", "16Gi"});
    case 1: return Range({.standard = "2Gi", .min = "2Gi", .max = "12Gi", .step = "2Gi"});
    case 2: return Range({.standard = "4Gi", .min = "3Gi", .max = "40Gi"});
    case 3: return Range({.standard = "1Gi", .min = "1Gi", .step = "3Gi"});
    case 4: return v1::CapacityRequestPolicy{.default_ = Amount("8Gi")};
    default: return std::nullopt;
  }
}

std::optional<v1::CapacityRequestPolicy> BandwidthPolicy(Chance& chance) {
  switch (chance.Below(6)) {
    case 0: return Values("1G", {"1G", "2G", "5G"});
    case 1: return Range({.standard = "1G", .min = "1G", .max = "8G", .step = "500M"});
    case 2: return v1::CapacityRequestPolicy{.default_ = Amount("2G")};
    case 3: return Range({.standard = "1G", .max = "4G"});
    default: return std::nullopt;
  }
}

std::optional<v1::CapacityRequestPolicy> CoresPolicy(Chance& chance) {
  switch (chance.Below(5)) {
    case 0: return Range({.standard = "500m", .min = "250m", .max = "3", .step = "250m"});
    case 1: return Range({.standard = "1", .min = "1", .max = "4", .step = "1"});
    case 2: return Range({.standard = "300m", .min = "100m", .step = "200m"});
    case 3: return Values("500m", {"500m", "1500m", "3"});
    default: return std::nullopt;
  }
}

void AddCapacity(v1::Device& device,
                 std::string_view driver,
                 const Traits& traits,
                 Chance& chance) {
  const bool is_nic = driver == kNicDriver;
  if (traits.shares && chance.Percent(is_nic ? 85 : 65)) device.allow_multiple_allocations = true;
  const bool has_policies = traits.shares && chance.Percent(90);
  if (is_nic) {
    device.capacity["bandwidth"] = {
        .value = Amount(chance.Pick(Texts{"10G", "10G", "5G"})),
        .request_policy = has_policies ? BandwidthPolicy(chance) : std::nullopt};
    return;
  }
  device.capacity["memory"] = {
      .value = Amount(chance.Pick(Texts{"16Gi", "40Gi", "24Gi"})),
      .request_policy = has_policies ? MemoryPolicy(chance) : std::nullopt};
  if (traits.shares && chance.Percent(40)) {
    device.capacity["cores"] = {
        .value = Amount("4"), .request_policy = has_policies ? CoresPolicy(chance) : std::nullopt};
  }
}

void AddTaints(v1::Device& device, const Family& family, Chance& chance) {
  while (chance.Percent(family.taints) && device.taints.size() < 3) {
    device.taints.push_back(
        {.key = std::string(chance.Pick(Texts{"maintenance", "dedicated", "example.com/slow"})),
         .value = std::string(chance.Pick(Texts{"", "a", "b"})),
         .effect = std::string(
             chance.Pick(Texts{"NoSchedule", "NoSchedule", "NoExecute", "None", "Other"}))});
  }
}

void AddBinding(v1::Device& device, const Traits& traits, Chance& chance) {
  if (!traits.binding || chance.Percent(45)) return;
  if (chance.Percent(30)) device.binds_to_node = true;
  device.binding_conditions.emplace_back("Attached");
  if (chance.Percent(40)) device.binding_conditions.emplace_back("Configured");
  if (chance.Percent(50)) device.binding_failure_conditions.emplace_back("AttachFailed");
}

/// A partition of a card, with the quarters that it covers.
struct Partition {
  std::string_view name;
  int first, count;
};
constexpr std::array kMenu = {Partition{"full", 0, 4},
                              Partition{"half-0", 0, 2},
                              Partition{"half-1", 2, 2},
                              Partition{"quarter-0", 0, 1},
                              Partition{"quarter-1", 1, 1},
                              Partition{"quarter-2", 2, 1},
                              Partition{"quarter-3", 3, 1}};

v1::DeviceCounterConsumption CardShare(const std::string& set, const Partition& partition) {
  v1::DeviceCounterConsumption consumption{.counter_set = set};
  consumption.counters["memory"] = {.value = Amount(fmt::format("{}Gi", 10 * partition.count))};
  for (int i = 0; i < partition.count; ++i) {
    consumption.counters[fmt::format("quarter{}", partition.first + i)] = {.value = Amount("1")};
  }
  return consumption;
}

v1::CounterSet CardCounters(const std::string& name, Chance& chance) {
  v1::CounterSet set{.name = name};
  // Rarely there is less memory than the sum of the quarters, or it is overcommitted from the
  // start.
  const std::string_view memory = chance.Percent(3)    ? "-10Gi"
                                  : chance.Percent(25) ? "30Gi"
                                                       : "40Gi";
  set.counters["memory"] = {.value = Amount(memory)};
  for (int i = 0; i < 4; ++i) set.counters[fmt::format("quarter{}", i)] = {.value = Amount("1")};
  return set;
}

void DrawGroups(v1::DeviceCounterConsumption& consumption, Chance& chance) {
  if (chance.Percent(25)) return;
  consumption.compatibility_groups.emplace_back(chance.Pick(Texts{"x", "y", "z"}));
  const std::string_view second = chance.Pick(Texts{"x", "y", "z"});
  if (chance.Percent(40) && consumption.compatibility_groups.front() != second)
    consumption.compatibility_groups.emplace_back(second);
}

/// Two or three cards. The device at `index` is a partition of one of them. Some pools have a power
/// budget for all cards together.
Hardware RandomPartitions(int count, const Traits& traits, Chance& chance) {
  Hardware hardware;
  const int cards = chance.Between(1, std::max(1, std::min(3, count / 3)));
  const bool has_power = chance.Percent(35);
  for (int card = 0; card < cards; ++card)
    hardware.counter_sets.push_back(CardCounters(fmt::format("card-{}", card), chance));
  std::vector<std::pair<int, const Partition*>> choices;
  for (int card = 0; card < cards; ++card) {
    for (const Partition& partition : kMenu) choices.emplace_back(card, &partition);
  }
  chance.Shuffle(choices);
  choices.resize(std::min(choices.size(), static_cast<size_t>(count)));
  int power = 0;
  for (const auto& [card, partition] : choices) {
    v1::Device device{.name = fmt::format("gpu-{}-{}", card, partition->name)};
    device.consumes_counters.push_back(CardShare(fmt::format("card-{}", card), *partition));
    if (has_power) {
      v1::DeviceCounterConsumption watts{.counter_set = "power"};
      watts.counters["watts"] = {.value = api::Quantity::FromInt(int64_t{100} * partition->count)};
      device.consumes_counters.push_back(std::move(watts));
      power += 100 * partition->count;
    }
    if (traits.groups) {
      for (auto& consumption : device.consumes_counters) DrawGroups(consumption, chance);
    }
    hardware.devices.push_back(std::move(device));
  }
  if (has_power) {
    v1::CounterSet budget{.name = "power"};
    budget.counters["watts"] = {.value = api::Quantity::FromInt(power / 300 * 100 + 100)};
    hardware.counter_sets.push_back(std::move(budget));
  }
  return hardware;
}

Hardware PlainDevices(std::string_view driver, int count) {
  Hardware hardware;
  const std::string_view stem = driver.substr(0, driver.find('.'));
  for (int i = 0; i < count; ++i) {
    hardware.devices.push_back({.name = fmt::format("{}-{}", stem, i)});
  }
  return hardware;
}

}  // namespace

Traits RandomTraits(const Family& family, Chance& chance) {
  Traits traits;
  traits.counters = chance.Percent(family.counters);
  traits.groups = traits.counters && chance.Percent(family.groups);
  traits.shares = chance.Percent(family.shares);
  traits.binding = chance.Percent(family.binding);
  traits.lists = chance.Percent(family.lists);
  traits.shared_pools = chance.Percent(family.shared_pools);
  return traits;
}

Hardware RandomHardware(std::string_view driver,
                        int count,
                        const Family& family,
                        const Traits& traits,
                        Chance& chance) {
  Hardware hardware = driver == kGpuDriver && traits.counters
                          ? RandomPartitions(count, traits, chance)
                          : PlainDevices(driver, count);
  int index = 0;
  for (v1::Device& device : hardware.devices) {
    AddAttributes(device, index++, traits, chance);
    AddCapacity(device, driver, traits, chance);
    AddTaints(device, family, chance);
    AddBinding(device, traits, chance);
  }
  return hardware;
}

api::Quantity RandomAmount(std::string_view capacity, Chance& chance) {
  if (capacity == "memory")
    return Amount(chance.Pick(Texts{"1Gi", "3Gi", "5Gi", "7500Mi", "10Gi", "16Gi"}));
  if (capacity == "bandwidth") return Amount(chance.Pick(Texts{"700M", "1200M", "2G", "3G", "6G"}));
  return Amount(chance.Pick(Texts{"100m", "300m", "1", "1500m", "2500m"}));
}

api::Quantity Amount(std::string_view text) {
  const Result<api::Quantity> amount = api::Quantity::Parse(text);
  DRAY_CHECK(amount.has_value());
  return *amount;
}

}  // namespace dray::judges
