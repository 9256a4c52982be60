// SPDX-License-Identifier: Apache-2.0
// Reports in one line why a pod that fits nowhere gets no devices: gathers the relevant state of
// the cluster (unfit_pod.h), requests an explanation (unfit_reports.h), and records an event.
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

/// The reason of the events that explain in one line why a pod gets no devices.
inline constexpr std::string_view kDevicesUnavailable = "DevicesUnavailable";

/// Owns the schedule of explanations, and an index of claims by pool. Only the scheduler's thread
/// may call functions other than Run and Stop.
class UnfitReporter {
 public:
  /// All members must outlive the UnfitReporter.
  struct Uses {
    ClusterCache& cluster;
    Reporter& reporter;
    const Configuration& configuration;
    const Clock& clock;
    const std::atomic<bool>& cancelled;  // set: a running explanation ends
  };

  /// Adds the index to the cluster. kElsewhere: Run explains, and wakes `wakeup`, which must
  /// outlive this; kHere: Step explains.
  UnfitReporter(const Uses& uses, ExplainUnfit explain, UnfitReports::Place place, Wakeup& wakeup);

  /// Records that an attempt found no node for the pod. Ignores pods without requests for devices.
  void Note(const api::Object& pod);
  /// The pod does not wait for a node any more.
  void Forget(std::string_view uid) { reports_.Forget(uid); }
  /// Records events for finished explanations, and requests the next one that is due. `first_node`:
  /// where the next attempt begins. Returns when to call it again.
  std::optional<MonotonicTime> Step(size_t first_node);

  /// Computes explanations until Stop; on a thread of its own, for kElsewhere.
  void Run() { reports_.Run(); }
  /// Safe on any thread.
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
