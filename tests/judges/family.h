// SPDX-License-Identifier: Apache-2.0
// Families of random problems: the frequency of each feature.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dray::judges {

/// The layout of the cluster and the demand.
enum class Layout : uint8_t {
  kVaried,
  kSymmetric,  // many equal devices, demand at the limit
  kTight,      // groups one short, counters one short, claims that compete
};

/// Probabilities in percent: per problem where the name says so, else per device, request or claim.
struct Family {
  std::string_view name;
  Layout layout = Layout::kVaried;
  int selectors = 40;     // of a request
  int committed = 15;     // of a device to be taken already
  int match = 15;         // of a claim
  int distinct = 3;       // of a claim
  int alternatives = 8;   // of a request
  int all_devices = 4;    // of a request
  int admin = 3;          // of a request
  int taints = 6;         // of a device
  int counters = 10;      // of a problem
  int groups = 0;         // of a problem that has counters
  int shares = 10;        // of a problem
  int binding = 6;        // of a problem
  int lists = 4;          // of a problem
  int derived = 0;        // of a request
  int skip = 0;           // of a slice
  int shared_pools = 25;  // of a problem: pools for several nodes, choice of nodes by device
  int config = 10;        // of a class and a claim
  int pool_trouble = 4;   // of a pool: old, incomplete, contradictory
};

std::span<const Family> Families();
/// Null: there is none of that name.
const Family* FindFamily(std::string_view name);

}  // namespace dray::judges
