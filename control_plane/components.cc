// SPDX-License-Identifier: Apache-2.0
#include "control_plane/components.h"

#include <utility>

#include "base/zoneinfo.h"
#include "cel/selector_cache.h"
#include "dray/profile.h"
#include "dray/selector.h"

namespace dray::control_plane {
namespace {

constexpr size_t kSelectorsKept = 10'000;
// Decided and not yet being written, so that no binder waits for the next decision.
constexpr size_t kBindingsPerBinder = 4;

}  // namespace

void BindingScheduler::Run() {
  std::vector<std::jthread> binders;
  binders.reserve(binders_);
  for (size_t i = 0; i < binders_; ++i) {
    binders.emplace_back([this] { scheduler_->RunBinder(); });
  }
  scheduler_->Run();
}

Components::Components(client::Client& client,
                       World& world,
                       Log log,
                       const api::Scheme& scheme,
                       ComponentsOptions options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      scheme_(scheme),
      options_(std::move(options)) {}

Result<> Components::Start() {
  std::unique_ptr<node::SimulatedNodes> simulated;
  if (options_.nodes) {
    simulated = std::make_unique<node::SimulatedNodes>(client_, world_, log_, options_.simulated);
    DRAY_TRY_VOID(simulated->Publish());
  }
  if (options_.controllers) {
    controllers_.emplace(std::make_unique<controllers::Manager>(
        client_,
        world_,
        log_,
        scheme_,
        controllers::Manager::Options{.taint_eviction = options_.taint_eviction,
                                      .pool_status = options_.pool_status,
                                      .pod_groups = options_.pod_groups,
                                      .group_claims = options_.group_claims,
                                      .extended_resources = options_.extended_resources,
                                      .classic = options_.classic,
                                      .taint_rules = options_.taint_rules}));
  }
  if (options_.scheduler) {
    auto made = std::make_unique<scheduler::Scheduler>(
        client_,
        world_,
        log_,
        scheduler::Scheduler::Options{
            .configuration = options_.scheduling,
            .selectors = allocator::SelectorCacheFor(
                options_.features, kSelectorsKept, ZoneFilesOf(world_.disk)),
            .features = options_.features,
            .taint_rules = options_.taint_rules,
            .bindings_max = options_.binders * kBindingsPerBinder,
            .extended_resources = options_.extended_resources,
            .node_allocatable = options_.node_allocatable,
            .pod_groups = options_.pod_groups,
            .group_claims = options_.group_claims,
            .classic = options_.classic});
    scheduler_.emplace(std::make_unique<BindingScheduler>(std::move(made), options_.binders));
  }
  if (simulated != nullptr) nodes_.emplace(std::move(simulated));
  return {};
}

void Components::Stop() {
  nodes_.reset();
  controllers_.reset();
  scheduler_.reset();
}

}  // namespace dray::control_plane
