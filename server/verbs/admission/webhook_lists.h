// SPDX-License-Identifier: Apache-2.0
// The stored webhooks in compiled form.
#pragma once

#include <memory>
#include <vector>

#include "api/release.h"
#include "base/mutex.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "server/verbs/admission/seen_records.h"
#include "server/webhooks/call_metrics.h"
#include "server/webhooks/caller.h"
#include "server/webhooks/conversion_metrics.h"
#include "server/webhooks/webhook.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Keeps the webhooks of the newest state compiled. Thread-safe.
class WebhookLists {
 public:
  using List = std::vector<webhooks::Webhook>;

  /// Clock and registry, which may be null, outlive it.
  WebhookLists(const Clock& clock, api::Release release, metrics::Registry* registry)
      : release_(release), metrics_(registry), conversion_metrics_(registry), caller_(clock) {}

  /// Whether configurations of the purpose exist. O(log n).
  static bool AreAny(const store::Snapshot& snapshot, webhooks::Purpose purpose);
  /// The webhooks, sorted by the names of their configurations, then in their order there.
  /// O(configurations), and compiles all of them when one has changed.
  std::shared_ptr<const List> In(const store::Snapshot& snapshot, webhooks::Purpose purpose);

  webhooks::Caller& caller() { return caller_; }
  webhooks::CallMetrics& metrics() { return metrics_; }
  webhooks::ConversionMetrics& conversion_metrics() { return conversion_metrics_; }

 private:
  struct Known {
    std::vector<SeenRecord> seen;
    std::shared_ptr<const List> list;
  };

  const api::Release release_;
  Mutex mutex_;
  Known mutating_ DRAY_GUARDED_BY(mutex_), validating_ DRAY_GUARDED_BY(mutex_);
  webhooks::CallMetrics metrics_;
  webhooks::ConversionMetrics conversion_metrics_;
  webhooks::Caller caller_;
};

}  // namespace dray::server::verbs::admission
