// SPDX-License-Identifier: Apache-2.0
// The dashboard of `dray serve`: its files, and the questions that its views ask. The views read
// objects through the Kubernetes API; they ask here only what has to be computed.
#pragma once

#include <memory>

#include "base/world.h"
#include "cli/input/live_input.h"
#include "server/http/pages.h"
#include "server/registry/served_kinds.h"

namespace dray::cli::inline dashboard {

/// Questions: `explain?for=pod/NAME&namespace=NAMESPACE`, answered as `dray explain -o json` with
/// what the user may not list as `unread`; `capacity?by=driver`, answered as `dray capacity -o
/// json`; `devices`, the state of each device, by pool; `whatif`, with a JSON body
/// (what_if_question.h), answered as `dray whatif -o json` with `notes` and `unread`; `history`
/// (allocation_history.h). All read the cluster as the user of the request, at the time of the
/// request or at the revision that it names. `world` outlives the pages.
std::shared_ptr<const server::http::Pages> MakeDashboard(
    World& world, const server::registry::Emulation& emulation);

/// The same for a server with these facts: version, gates, namespace (nothing is listed yet).
std::shared_ptr<const server::http::Pages> MakeDashboard(World& world, LiveInput served);

}  // namespace dray::cli::inline dashboard
