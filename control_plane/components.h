// SPDX-License-Identifier: Apache-2.0
// The components beside the API server: scheduler, controllers, simulated nodes, each on a thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/claims/either_claim.h"
#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/log.h"
#include "base/result.h"
#include "base/thread_urgency.h"
#include "base/world.h"
#include "client/client.h"
#include "controllers/manager.h"
#include "dray/allocator.h"
#include "metrics/registry.h"
#include "node/simulated_nodes.h"
#include "scheduler/reports/scheduler_metrics.h"
#include "scheduler/reports/unfit_pod.h"
#include "scheduler/scheduler.h"
#include "server/registry/served_kinds.h"

namespace dray::control_plane {

/// A component's loop on a thread of its own, ended and joined on destruction.
template <class Component>
class Running {
 public:
  explicit Running(std::unique_ptr<Component> component)
      : component_(std::move(component)), thread_([this] {
          GoSoonAfterWaking();
          component_->Run();
        }) {}
  ~Running() {
    component_->Stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  std::unique_ptr<Component> component_;
  std::thread thread_;
};

/// A scheduler that decides on one thread and writes placements on several, so that one flush of
/// the store's disk makes many placements durable. It reports and explains on one more thread each.
class BindingScheduler {
 public:
  BindingScheduler(std::unique_ptr<scheduler::Scheduler> scheduler, size_t binders, bool explains)
      : scheduler_(std::move(scheduler)), binders_(binders), explains_(explains) {}

  void Run();
  void Stop() { scheduler_->Stop(); }

 private:
  const std::unique_ptr<scheduler::Scheduler> scheduler_;
  const size_t binders_;
  const bool explains_;
};

struct ComponentsOptions {
  bool scheduler = false, controllers = false, nodes = false;
  size_t binders = 0;  // threads that write placements; 0: the scheduler's own
  node::SimulatedNodes::Options simulated;
  allocator::Features features;
  scheduler::Configuration scheduling;
  bool taint_eviction = true;  // DRADeviceTaints
  bool pool_status = true;     // DRAResourcePoolStatus
  api::claims::ClassicClaims classic = api::claims::ClassicClaims::kNone;
  bool pod_groups = false;         // GenericWorkload, where pod groups are served
  bool group_claims = false;       // with that, DRAWorkloadResourceClaims
  bool group_topology = false;     // with that, TopologyAwareWorkloadScheduling
  bool extended_resources = true;  // DRAExtendedResource
  bool node_allocatable = true;    // DRANodeAllocatableResources
  /// Applies DeviceTaintRules as this release does; absent: they taint nothing.
  std::optional<api::Release> taint_rules = {};
  /// For the components' metrics; must outlive them. Null: no metrics.
  metrics::Registry* metrics = nullptr;
  /// The release whose rules check admission policies, and order pods that back off.
  api::Release release = api::Release::kAny;
  /// Explains why pods get no devices; not set: there are no explanations.
  scheduler::ExplainUnfit explain = {};
};

/// Options for a cluster of the emulated release with its gates; no component is enabled yet.
/// Errors: kInvalid  the allocator does not support the features.
Result<ComponentsOptions> OptionsFor(const server::registry::Emulation& emulation);

/// The enabled components. Not thread-safe.
class Components {
 public:
  /// The references must outlive it.
  Components(client::Client& client,
             World& world,
             Log log,
             const api::LiveScheme& scheme,
             ComponentsOptions options);

  /// Whether any component is enabled.
  bool any() const { return options_.scheduler || options_.controllers || options_.nodes; }

  /// Starts the enabled components; after an error none is running. May be called again after Stop.
  Result<> Start();
  /// Stops them in reverse order. A second call has no effect.
  void Stop();

 private:
  client::Client& client_;
  World& world_;
  Log log_;
  const api::LiveScheme& scheme_;
  ComponentsOptions options_;
  std::optional<scheduler::SchedulerMetrics> scheduler_metrics_;
  std::optional<Running<controllers::Manager>> controllers_;
  std::optional<Running<BindingScheduler>> scheduler_;
  std::optional<Running<node::SimulatedNodes>> nodes_;
};

}  // namespace dray::control_plane
