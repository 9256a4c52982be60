// SPDX-License-Identifier: Apache-2.0
// The objects of dynamic resource allocation as series, by the names that kube-state-metrics has or
// proposes, for dashboards that were made for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "server/verbs/resources.h"

namespace dray::server::http {

/// The most series of one answer. A claim has five and more, a slice three and one for each device.
inline constexpr size_t kStateSeriesMax = 400'000;

/// Text for Prometheus: kube_resourceclaim_…, kube_resourceslice_…, kube_deviceclass_…,
/// kube_resourceclaimtemplate_… and kube_pod_resourceclaim_info, as many series as are allowed, and
/// how many are left out. Reads the newest objects page by page; O(objects).
///
/// Errors: those of a list; kTimeout  the client does not wait any more.
Result<std::string> StateMetricsText(verbs::Resources& resources,
                                     const std::atomic<bool>* is_given_up,
                                     size_t series_max = kStateSeriesMax);

}  // namespace dray::server::http
