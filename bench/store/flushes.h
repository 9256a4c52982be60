// SPDX-License-Identifier: Apache-2.0
// What flushing a file to the disk takes, by what lies behind its end.
#pragma once

#include <string>

namespace dray::bench {

/// Prints what ten pages of 4 KiB and a flush take, in time and in CPU, where the file grows, where
/// blocks are reserved or zeros written ahead (as the store's log does it), and where blocks are
/// overwritten. The files are in `folder`.
void MeasureFlushes(const std::string& folder);

}  // namespace dray::bench
