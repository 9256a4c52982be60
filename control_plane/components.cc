// SPDX-License-Identifier: Apache-2.0
#include "control_plane/components.h"

#include <utility>

#include "allocator/feature_switches.h"
#include "base/thread_urgency.h"
#include "base/try.h"
#include "base/zoneinfo.h"
#include "cel/selector_cache.h"
#include "dray/profile.h"
#include "dray/selector.h"
#include "server/policies/type_checking.h"
#include "server/registry/type_shapes.h"

namespace dray::control_plane {
namespace {

constexpr size_t kSelectorsKept = 10'000;
// Unfinished placements per binder, which it writes together in one round.
constexpr size_t kBindingsPerBinder = 32;

/// The allocator's features for the emulated release, or the nearest release that has an allocator.
/// As for the API, the gates decide which features are on.
Result<allocator::Features> SearchFeatures(const server::registry::Emulation& emulation) {
  const bool is_classic =
      emulation.release != api::Release::kAny && emulation.release <= api::Release::k1_30;
  if (is_classic) return allocator::Features();  // the release has no devices
  return allocator::FeaturesOf(allocator::ProfileFor(emulation.release), emulation.gates);
}

/// Earlier releases had other kinds for pod groups, which Dray does not serve.
bool ServesPodGroups(const server::registry::Emulation& emulation) {
  constexpr int kFirst = 37;
  return emulation.gates.Has(api::Gate::kGenericWorkload) &&
         (emulation.release == api::Release::kAny || api::MinorOf(emulation.release) >= kFirst);
}

/// Not set where the release has no such policies.
controllers::CheckPolicyTypes PolicyTypesCheck(const api::LiveScheme& scheme,
                                               api::Release release) {
  using api::admissionregistration_v1::ValidatingAdmissionPolicy;
  if (!api::Reflected<ValidatingAdmissionPolicy>::kKind.in.Has(release)) return {};
  return [&scheme, release](const ValidatingAdmissionPolicy& policy) {
    const auto shape_of = [release](const api::KindInfo& kind) {
      return server::registry::TypeShapeOf(kind, release);
    };
    return server::policies::CheckTypes(policy, *scheme.Now(), shape_of, release);
  };
}

/// SchedulerPopFromBackoffQ is on in releases since 1.33, and 1.32 has no such gate.
bool PopsFromBackoff(api::Release release) {
  constexpr int kFirst = 33;
  return release == api::Release::kAny || api::MinorOf(release) >= kFirst;
}

std::optional<api::Release> TaintRules(const server::registry::Emulation& emulation) {
  if (!emulation.gates.Has(api::Gate::kDeviceTaintRules)) return std::nullopt;
  return emulation.release;
}

/// The declared features of simulated nodes, which have no drivers and accept devices at once.
std::vector<std::string> DeclaredFeatures(const api::FeatureGates& gates) {
  std::vector<std::string> features;
  if (!gates.Has(api::Gate::kNodeDeclaredFeatures)) return features;
  for (const api::Gate gate :
       {api::Gate::kNodeAllocatableResources, api::Gate::kOptionalNodeOperations}) {
    if (!gates.Has(gate)) continue;
    for (const api::GateInfo& info : api::Gates()) {
      if (info.gate == gate) features.emplace_back(info.name);
    }
  }
  return features;
}

}  // namespace

Result<ComponentsOptions> OptionsFor(const server::registry::Emulation& emulation) {
  const api::FeatureGates& gates = emulation.gates;
  ComponentsOptions options;
  DRAY_TRY(options.features, SearchFeatures(emulation));
  options.simulated.publish.declared_features = DeclaredFeatures(gates);
  options.taint_eviction = gates.Has(api::Gate::kDeviceTaints);
  options.pool_status = gates.Has(api::Gate::kResourcePoolStatus);
  options.classic = api::claims::ClassicClaimsOf(emulation.release, gates);
  options.pod_groups = ServesPodGroups(emulation);
  options.group_claims = options.pod_groups && gates.Has(api::Gate::kWorkloadResourceClaims);
  options.group_topology =
      options.pod_groups && gates.Has(api::Gate::kTopologyAwareWorkloadScheduling);
  options.extended_resources = gates.Has(api::Gate::kExtendedResource);
  options.node_allocatable = gates.Has(api::Gate::kNodeAllocatableResources);
  options.taint_rules = TaintRules(emulation);
  options.release = emulation.release;
  return options;
}

void BindingScheduler::Run() {
  std::vector<std::jthread> helpers;
  helpers.reserve(binders_ + 2);
  helpers.emplace_back([this] { scheduler_->RunReporter(); });
  for (size_t i = 0; i < binders_; ++i) {
    helpers.emplace_back([this] {
      GoSoonAfterWaking();
      scheduler_->RunBinder();
    });
  }
  if (explains_) {
    helpers.emplace_back([this] {
      LetOthersGoFirst();
      scheduler_->RunExplainer();
    });
  }
  scheduler_->Run();
}

Components::Components(client::Client& client,
                       World& world,
                       Log log,
                       const api::LiveScheme& scheme,
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
        controllers::Manager::Options{
            .taint_eviction = options_.taint_eviction,
            .pool_status = options_.pool_status,
            .pod_groups = options_.pod_groups,
            .group_claims = options_.group_claims,
            .extended_resources = options_.extended_resources,
            .classic = options_.classic,
            .metrics = options_.metrics,
            .check_policy_types = PolicyTypesCheck(scheme_, options_.release),
            .taint_rules = options_.taint_rules}));
  }
  if (options_.scheduler) {
    if (options_.metrics != nullptr) scheduler_metrics_.emplace(*options_.metrics);
    scheduler::Configuration scheduling = options_.scheduling;
    scheduling.queue.pops_from_backoff = PopsFromBackoff(options_.release);
    auto made = std::make_unique<scheduler::Scheduler>(
        client_,
        world_,
        log_,
        scheduler::Scheduler::Options{
            .configuration = std::move(scheduling),
            .selectors = allocator::SelectorCacheFor(
                options_.features, kSelectorsKept, ZoneFilesOf(world_.disk)),
            .features = options_.features,
            .taint_rules = options_.taint_rules,
            .bindings_max = options_.binders * kBindingsPerBinder,
            .extended_resources = options_.extended_resources,
            .node_allocatable = options_.node_allocatable,
            .pod_groups = options_.pod_groups,
            .group_claims = options_.group_claims,
            .group_topology = options_.group_topology,
            .classic = options_.classic,
            .metrics = scheduler_metrics_.has_value() ? &*scheduler_metrics_ : nullptr,
            .explain = options_.explain,
            .explains_elsewhere = true,
            .reports_elsewhere = true});
    scheduler_.emplace(std::make_unique<BindingScheduler>(
        std::move(made), options_.binders, options_.explain != nullptr));
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
