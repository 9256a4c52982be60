// SPDX-License-Identifier: Apache-2.0
// What readers wait for: opening, lists, events to many watchers; and what a live key occupies.
#pragma once

#include <string>

namespace dray::bench {

/// 100 000 live keys of 1 KiB after 1 000 000 revisions: how long opening takes, and a list of all.
void MeasureOpeningAndLists(const std::string& folder);

/// One event to 10 000 watchers: as cursors of the store, and through the server's hub.
void MeasureWatchers();

/// Bytes of memory that each of 100 000 live keys occupies besides its value.
void MeasureMemory();

}  // namespace dray::bench
