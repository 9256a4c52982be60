// SPDX-License-Identifier: Apache-2.0
// How long one event takes to reach many watchers.
#pragma once

namespace dray::bench {

/// One event to 10 000 watchers: as cursors of the store, and through the server's hub.
void MeasureWatchers();

}  // namespace dray::bench
