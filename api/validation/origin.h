// SPDX-License-Identifier: Apache-2.0
// Whether a value that is validated was stored before.
#pragma once

#include <cstdint>

namespace dray::api::validation {

/// Limits that were introduced later do not apply to stored values.
enum class Origin : uint8_t { kNew, kStored };

}  // namespace dray::api::validation
