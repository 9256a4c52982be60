// SPDX-License-Identifier: Apache-2.0
// The memory use of a live key.
#pragma once

namespace dray::bench {

/// Prints the bytes of memory that each of 100 000 live keys needs besides its value.
void MeasureMemory();

}  // namespace dray::bench
