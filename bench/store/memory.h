// SPDX-License-Identifier: Apache-2.0
// How much memory a live key takes.
#pragma once

namespace dray::bench {

/// Bytes of memory that each of 100 000 live keys occupies besides its value.
void MeasureMemory();

}  // namespace dray::bench
