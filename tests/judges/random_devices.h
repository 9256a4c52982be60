// SPDX-License-Identifier: Apache-2.0
// Random devices: attributes, capacities with policies, partitions that draw on shared counters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "tests/judges/chance.h"
#include "tests/judges/family.h"

namespace dray::judges {

/// The traits of a problem, drawn once for all its devices and claims.
struct Traits {
  bool counters = false;
  bool groups = false;
  bool shares = false;
  bool binding = false;
  bool lists = false;
  bool shared_pools = false;
};
Traits RandomTraits(const Family& family, Chance& chance);

inline constexpr std::string_view kGpuDriver = "gpu.example.com";
inline constexpr std::string_view kNicDriver = "nic.example.com";

/// The devices of a pool, and the counters they draw on.
struct Hardware {
  std::vector<api::resource_v1::Device> devices;
  std::vector<api::resource_v1::CounterSet> counter_sets;
};
/// `count` devices. With the trait `counters`, the GPU driver's devices are partitions of a few
/// cards.
Hardware RandomHardware(
    std::string_view driver, int count, const Family& family, const Traits& traits, Chance& chance);

/// A random amount for requests and allocated shares, by capacity name.
api::Quantity RandomAmount(std::string_view capacity, Chance& chance);

/// Parses `text`, which must be a quantity.
api::Quantity Amount(std::string_view text);

}  // namespace dray::judges
