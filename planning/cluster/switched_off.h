// SPDX-License-Identifier: Apache-2.0
// Feature gates that are off although somebody asks for what they switch on.
#pragma once

#include <set>
#include <span>
#include <string>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "dray/features.h"

namespace dray::planning::inline cluster {

/// The attributes that are lists on some device, "domain/id". O(attributes of devices).
std::set<std::string> ListAttributes(
    std::span<const Frozen<api::resource_v1::ResourceSlice>> slices);

/// The first feature that the claims need and that is off, and the name of its gate; empty: none.
/// Derived attributes, alternatives, capacity requests and admin access are in the claims. That
/// constraints understand lists matters where the attribute of one is among `lists`.
std::string SwitchedOff(std::span<const api::Object> claims,
                        const std::set<std::string>& lists,
                        const allocator::Features& features);

}  // namespace dray::planning::inline cluster
