// SPDX-License-Identifier: Apache-2.0
// What `/metrics` says of the work queue of a controller, under the names that client-go gives.
#pragma once

#include <string_view>

#include "metrics/registry.h"

namespace dray::client {

/// Handles; default-constructed ones count nothing.
struct QueueMetrics {
  metrics::Counter adds, retries;
  metrics::Gauge depth;  // keys that are ready
  metrics::Histogram work_seconds;
};

/// The metrics of the queue that upstream calls `name`. `registry` outlives it.
QueueMetrics MakeQueueMetrics(metrics::Registry& registry, std::string_view name);

}  // namespace dray::client
