// SPDX-License-Identifier: Apache-2.0
// Reports in one line why a pod that fits nowhere gets no devices: gathers what the cluster knows
// of the pod (unfit_pod.h), has that explained (unfit_reports.h), and records an event.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/reports/reporter.h"
#include "scheduler/reports/unfit_pod.h"
#include "scheduler/reports/unfit_reports.h"

namespace dray::scheduler::inline reports {

/// The reason of the events that say in one line why a pod gets no devices.
inline constexpr std::string_view kDevicesUnavailable = "DevicesUnavailable";

/// Owns which pods are explained when, and an index of claims by pool. Everything but Run and Stop
/// belongs to the scheduler's thread.
class UnfitReporter {
 public:
  /// They outlive it.
  struct Uses {
    ClusterCache& cluster;
    Reporter& reporter;
    const Configuration& configuration;
    const Clock& clock;
    const std::atomic<bool>& cancelled;  // set: an explanation under way ends
  };

  /// Adds the index to the cluster. kElsewhere: Run explains, and wakes `wakeup`, which outlives
  /// this; kHere: Step does.
  UnfitReporter(const Uses& uses, ExplainUnfit explain, UnfitReports::Place place, Wakeup& wakeup);

  /// An attempt found no node for the pod. Of pods that ask for no devices nothing is reported.
  void Note(const api::Object& pod);
  /// The pod waits for a node no more.
  void Forget(std::string_view uid) { reports_.Forget(uid); }
  /// Reports what was found out, and has the next pod that is due explained. `first_node`: where
  /// the next attempt begins. Returns when to come again.
  std::optional<MonotonicTime> Step(size_t first_node);

  /// Explains until Stop; on a thread of its own, for kElsewhere.
  void Run() { reports_.Run(); }
  /// From any thread.
  void Stop() { reports_.Stop(); }

 private:
  bool AsksForDevices(const api::core_v1::Pod& pod) const;
  std::optional<UnfitPod> Gather(const std::string& key, size_t first_node);
  void AddCandidates(const api::core_v1::Pod& pod,
                     size_t first_node,
                     const std::function<bool(const std::string& node)>& add,
                     UnfitPod& unfit);

  const Uses uses_;
  UnfitReports reports_;
  size_t claims_by_pool_;  // index of claims, "driver/pool"
};

}  // namespace dray::scheduler::inline reports
