// SPDX-License-Identifier: Apache-2.0
// Ids that stand for texts.
#pragma once

#include <string>
#include <string_view>

namespace dray {

/// A UUID in the form of NewUuid, made from `text`: always the same for the same text, another one
/// for another (64 bits of it differ).
std::string UuidOf(std::string_view text);

}  // namespace dray
