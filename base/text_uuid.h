// SPDX-License-Identifier: Apache-2.0
// UUIDs that are derived from texts.
#pragma once

#include <string>
#include <string_view>

namespace dray {

/// A UUID in the form of NewUuid, derived from `text`: the same for equal texts, different for
/// different ones (up to collisions of 64 bits).
std::string UuidOf(std::string_view text);

}  // namespace dray
