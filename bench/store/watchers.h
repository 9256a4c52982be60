// SPDX-License-Identifier: Apache-2.0
// The time for one event to reach many watchers.
#pragma once

namespace dray::bench {

/// Measures one event for 10 000 watchers: with cursors of the store, and through the server's hub.
void MeasureWatchers();

}  // namespace dray::bench
