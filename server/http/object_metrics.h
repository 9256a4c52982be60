// SPDX-License-Identifier: Apache-2.0
// How many objects there are, for `/metrics`.
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

  /// Of two generations of one resource the numbers are those of what lies in the store together.
  void Set(const std::vector<verbs::Resources::Count>& counts);

 private:
  metrics::Registry& registry_;
  Mutex mutex_;
  // Of each group and resource, under upstream's names before 1.34 and since.
  std::map<std::pair<std::string, std::string>, std::pair<metrics::Gauge, metrics::Gauge>> gauges_
      DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::http
