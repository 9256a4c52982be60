// SPDX-License-Identifier: Apache-2.0
// The verbs that read: get, list, watch.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"
#include "server/verbs/watches/watch_cursor.h"
#include "server/verbs/watches/watch_hub.h"

namespace dray::server::verbs::inline read {

Task<Outcome> Get(Call call);
Task<Outcome> List(Call call);

/// `hub` outlives the cursor.
Result<std::unique_ptr<WatchCursor>> OpenWatch(const Core& core,
                                               WatchHub& hub,
                                               const ResourceRequest& request);

}  // namespace dray::server::verbs::inline read
