// SPDX-License-Identifier: Apache-2.0
// Disabled feature gates that claims need.
#pragma once

#include <set>
#include <span>
#include <string>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/features.h"

namespace dray::planning::inline cluster {

/// The attributes that are lists on at least one device, "domain/id". O(attributes of devices).
std::set<std::string> ListAttributes(
    std::span<const Frozen<api::resource_v1::ResourceSlice>> slices);

/// The first disabled feature that the claims need, with the name of its gate; empty: none. The
/// claims show derived attributes, alternatives, capacity requests and admin access. A constraint
/// needs the feature of list attributes if its attribute is among `lists`.
std::string SwitchedOff(std::span<const api::Object> claims,
                        const std::set<std::string>& lists,
                        const allocator::Features& features);

}  // namespace dray::planning::inline cluster
