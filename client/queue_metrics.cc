// SPDX-License-Identifier: Apache-2.0
#include "client/queue_metrics.h"

#include <array>
#include <string>

namespace dray::client {
namespace {

using metrics::Description;

constexpr Description kAdds{.name = "workqueue_adds_total",
                            .help = "Keys that were added to a work queue."};
constexpr Description kRetries{.name = "workqueue_retries_total",
                               .help = "Keys that were added again after a failure."};
constexpr Description kDepth{.name = "workqueue_depth", .help = "Keys that are ready."};
constexpr Description kWork{.name = "workqueue_work_duration_seconds",
                            .help = "What one key took, in seconds."};
constexpr std::array kSecondsBounds = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0};

}  // namespace

QueueMetrics MakeQueueMetrics(metrics::Registry& registry, std::string_view name) {
  const metrics::Labels labels = {{"name", std::string(name)}};
  return {.adds = registry.CounterOf(kAdds, labels),
          .retries = registry.CounterOf(kRetries, labels),
          .depth = registry.GaugeOf(kDepth, labels),
          .work_seconds = registry.HistogramOf(kWork, kSecondsBounds, labels)};
}

}  // namespace dray::client
