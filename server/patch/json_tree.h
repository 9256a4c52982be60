// SPDX-License-Identifier: Apache-2.0
// The trees that patches edit.
#pragma once

#include <cstddef>

#include "api/codec/json_tree.h"

namespace dray::server::patch {

using api::JsonMembers;
using api::JsonTree;
using api::kGoTextMax;
using api::ParseJsonTree;

/// Limit of the nesting of objects and arrays, in a patch and in its result.
inline constexpr size_t kDepthMax = 1'000;

}  // namespace dray::server::patch
