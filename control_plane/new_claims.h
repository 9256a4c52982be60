// SPDX-License-Identifier: Apache-2.0
// Which events components may see a little later, so that one client that makes claims is not
// interrupted by each.
#pragma once

#include "server/verbs/watches/watch_cursor.h"

namespace dray::control_plane {

/// Whether a claim was made that no pod uses yet: no component has anything to do for it, and its
/// client is likely to make more. For InProcessOptions::may_wait.
///
/// Worth 15 % of a create of one client: with it 246 µs of the server's CPU, without 288 µs
/// (`loadgen rest --clients 1 --steps create --requests 8000`, all components, bench/README.md).
/// With 16 and 64 clients it makes no difference. The option may be left out where it is set.
bool IsNewClaim(const server::verbs::WatchEvent& event);

}  // namespace dray::control_plane
