// SPDX-License-Identifier: Apache-2.0
// Which rules hold: the feature switches of upstream's allocator.
#pragma once

#include <cstdint>
#include <optional>

namespace dray::allocator {

/// Upstream's implementations of the allocator. The later one knows more features, and follows
/// rules of its own about parts that the others have not heard of.
enum class Implementation : uint8_t { kIncubating, kExperimental };

/// Upstream's feature switches, as data at the points of decision. The defaults are those of a
/// Kubernetes 1.37 cluster.
struct Features {
  bool admin_access = true;
  bool prioritized_list = true;
  bool device_taints = true;
  bool device_binding_and_status = true;
  bool partitionable_devices = true;
  bool consumable_capacity = true;
  bool fractional_capacity_range = true;
  bool list_type_attributes = false;
  bool derived_attributes = false;
  bool compatibility_groups = false;
  bool optional_node_operations = false;
  /// Unless set, the first one that knows all features that are on, as upstream picks it.
  std::optional<Implementation> implementation = {};

  Implementation Picked() const {
    const bool needs_experimental = list_type_attributes || derived_attributes ||
                                    compatibility_groups || optional_node_operations;
    return implementation.value_or(needs_experimental ? Implementation::kExperimental
                                                      : Implementation::kIncubating);
  }
};

}  // namespace dray::allocator
