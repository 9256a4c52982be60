// SPDX-License-Identifier: Apache-2.0
// Selects the allocator's rules: upstream's feature gates, and the release of its allocator.
#pragma once

#include <cstdint>
#include <optional>

#include "api/release.h"

namespace dray::allocator::inline v0 {

/// Upstream's implementations of the allocator, in the order in which upstream tries them. A later
/// one supports more features, and has rules of its own for features that the earlier ones do not
/// support.
enum class Implementation : uint8_t { kStable, kIncubating, kExperimental };

/// Upstream's feature gates, as data that the allocator checks where it decides. The defaults are
/// those of a Kubernetes 1.37 cluster. <dray/profile.h> makes them for other releases.
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
  /// If not set, the first one that supports all enabled features, as upstream chooses.
  std::optional<Implementation> implementation = {};
  /// The release of the allocator: k1_31, k1_36 or kNewest (kAny means kNewest).
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
