// SPDX-License-Identifier: Apache-2.0
// Which rules hold: the feature switches of upstream's allocator, and the release of it.
#pragma once

#include <cstdint>
#include <optional>

#include "api/release.h"

namespace dray::allocator::inline v0 {

/// Upstream's implementations of the allocator, in the order in which it picks them. A later one
/// knows more features, and follows rules of its own about parts the others have not heard of.
enum class Implementation : uint8_t { kStable, kIncubating, kExperimental };

/// Upstream's feature switches, as data at the points of decision. The defaults are those of a
/// Kubernetes 1.37 cluster. <dray/profile.h> makes them for other releases.
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
  /// Of k1_31, k1_36 and kNewest: whose allocator it is (kAny: the newest).
  api::Release release = api::Release::kNewest;

  Implementation Picked() const {
    if (implementation.has_value()) return *implementation;
    if (list_type_attributes || derived_attributes || compatibility_groups ||
        optional_node_operations) {
      return Implementation::kExperimental;
    }
    const bool needs_incubating =
        device_binding_and_status || consumable_capacity || fractional_capacity_range;
    return needs_incubating ? Implementation::kIncubating : Implementation::kStable;
  }
};

}  // namespace dray::allocator::inline v0
