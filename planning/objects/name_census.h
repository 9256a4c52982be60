// SPDX-License-Identifier: Apache-2.0
// The attributes and capacities of all devices, and likely meanings of a name that they lack.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "cel/device_names.h"

namespace dray::planning::inline objects {

struct CountedName {
  cel::DeviceName name;
  size_t devices = 0;  // that have it
};

/// Names of all devices, counted.
class NameCensus {
 public:
  /// The most suggestions for a name.
  static constexpr size_t kSuggestionsMax = 3;

  void Add(const cel::Device& device);

  /// How many devices have it.
  size_t On(const cel::DeviceName& name) const;

  /// Names that could be meant, the most likely first. The same id in another domain or in the
  /// other section is always one. If no device has `name`, similar ids in its domain or in a
  /// similar domain are, too. O(names).
  std::vector<CountedName> Near(const cel::DeviceName& name) const;

 private:
  std::map<cel::DeviceName, size_t> counts_;
};

}  // namespace dray::planning::inline objects
