// SPDX-License-Identifier: Apache-2.0
// The number of stored objects, for `/metrics`.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "metrics/registry.h"
#include "server/verbs/resources.h"

namespace dray::server::http {

/// Safe from any thread.
class ObjectMetrics {
 public:
  /// `registry` outlives it.
  explicit ObjectMetrics(metrics::Registry& registry) : registry_(registry) {}

  /// Sets the gauges. Two generations of one resource share a gauge, for all their stored objects.
  void Set(const std::vector<verbs::Resources::Count>& counts);

 private:
  metrics::Registry& registry_;
  Mutex mutex_;
  // By group and resource; under upstream's names before 1.34 and since.
  std::map<std::pair<std::string, std::string>, std::pair<metrics::Gauge, metrics::Gauge>> gauges_
      DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::http
