// SPDX-License-Identifier: Apache-2.0
// Whether a value is new to the store.
#pragma once

#include <cstdint>

namespace dray::api::validation {

/// Whether a value was stored before: then limits that came later do not count.
enum class Origin : uint8_t { kNew, kStored };

}  // namespace dray::api::validation
