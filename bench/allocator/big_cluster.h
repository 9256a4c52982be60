// SPDX-License-Identifier: Apache-2.0
// Costs of a cluster of 5 000 nodes: building everything, forking, memory.
#pragma once

namespace dray::bench {

/// Prints the numbers of 5 000 nodes with 8 devices each, 20 000 of which are allocated.
void MeasureBigCluster();

}  // namespace dray::bench
