// SPDX-License-Identifier: Apache-2.0
// The position of a walk over a JSON document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::api::inline codec {

/// Limits of the bytes of one name in a path, and of a whole path.
inline constexpr size_t kPlaceNameMax = 1024;
inline constexpr size_t kPlacePathMax = 4 * kPlaceNameMax;

/// A chain through the callers' frames, so that a path costs nothing until a message needs it.
struct JsonPlace {
  const JsonPlace* outer;
  std::string_view name;  // name of a member or key; empty and without data in a list
  size_t index = 0;
};

/// "spec.devices[3].name"; empty for null. Longer names and paths are cut, with "…". Cost is linear
/// in the depth, and in the names up to their limit.
std::string PathOf(const JsonPlace* place);

}  // namespace dray::api::inline codec
