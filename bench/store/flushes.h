// SPDX-License-Identifier: Apache-2.0
// The cost of flushing a file to the disk, by the state of the blocks after its end.
#pragma once

#include <string>

namespace dray::bench {

/// Prints the time and CPU time of ten pages of 4 KiB and a flush: in a growing file, with blocks
/// reserved or zeros written ahead (as the store's log does), and with overwritten blocks. The
/// files are in `folder`.
void MeasureFlushes(const std::string& folder);

}  // namespace dray::bench
