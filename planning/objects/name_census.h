// SPDX-License-Identifier: Apache-2.0
// Which attributes and capacities the devices at hand have, and what a name that they do not have
// could mean.
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
  /// At most so many suggestions for a name.
  static constexpr size_t kSuggestionsMax = 3;

  void Add(const cel::Device& device);

  /// How many devices have it.
  size_t On(const cel::DeviceName& name) const;

  /// What else could be meant, the likeliest first. The same id in another domain or in the other
  /// section always may be; when no device has `name`, also an id spelled alike in its domain or in
  /// a domain spelled alike. O(names).
  std::vector<CountedName> Near(const cel::DeviceName& name) const;

 private:
  std::map<cel::DeviceName, size_t> counts_;
};

}  // namespace dray::planning::inline objects
