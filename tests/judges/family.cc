// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/family.h"

#include <algorithm>
#include <array>

namespace dray::judges {
namespace {

constexpr std::array kFamilies = {
    Family{.name = "basic", .selectors = 60, .match = 0, .alternatives = 0, .counters = 0},
    Family{.name = "constraints", .match = 80, .distinct = 25},
    Family{.name = "prioritized", .match = 30, .alternatives = 70},
    Family{.name = "partitionable", .match = 20, .taints = 12, .counters = 100},
    Family{.name = "consumable", .counters = 15, .shares = 100},
    Family{.name = "taints", .taints = 45},
    Family{.name = "admin", .committed = 35, .admin = 45},
    Family{.name = "binding", .binding = 100},
    Family{.name = "lists", .match = 60, .distinct = 25, .lists = 100, .derived = 15},
    Family{.name = "config", .alternatives = 25, .config = 80},
    Family{.name = "pools", .shared_pools = 60, .pool_trouble = 35},
    Family{.name = "release",
           .match = 50,
           .distinct = 15,
           .counters = 70,
           .groups = 60,
           .lists = 25,
           .derived = 50,
           .skip = 25},
    Family{.name = "all-devices", .committed = 4, .match = 4, .all_devices = 45, .taints = 3},
    Family{.name = "mixed",
           .committed = 12,
           .match = 30,
           .distinct = 10,
           .alternatives = 25,
           .all_devices = 5,
           .admin = 8,
           .taints = 12,
           .counters = 50,
           .groups = 20,
           .shares = 50,
           .binding = 20,
           .lists = 25,
           .derived = 15,
           .skip = 10,
           .config = 30,
           .pool_trouble = 8},
    Family{.name = "symmetric", .layout = Layout::kSymmetric, .shared_pools = 0},
    Family{.name = "tight", .layout = Layout::kTight, .shared_pools = 0}};

}  // namespace

std::span<const Family> Families() {
  return kFamilies;
}

const Family* FindFamily(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  return found == kFamilies.end() ? nullptr : &*found;
}

}  // namespace dray::judges
