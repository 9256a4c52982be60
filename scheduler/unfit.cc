// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a pod that fits nowhere: the part of it around unfit_reports.h.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/claims/pod_groups.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "scheduler/pod_claims.h"
#include "scheduler/scheduler.h"
#include "scheduler/unfit_reports.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

/// Nodes that are asked whether they would take the pod, to find kUnfitNodesMax that would.
constexpr size_t kNodesAskedMax = 1000;
constexpr size_t kClassesMax = 64;

/// The pools that some nodes see, whole.
class SeenPools {
 public:
  explicit SeenPools(const allocator::inventory::Inventory& inventory) : inventory_(inventory) {}

  /// False: with this node there would be too many devices; then nothing is added.
  bool Add(const std::string& node) {
    std::set<std::string> added;
    std::vector<Frozen<resource_v1::ResourceSlice>> slices;
    size_t devices = devices_;
    for (const resource_v1::ResourceSlice* seen : inventory_.OfNode(node)) {
      const auto& pool = seen->spec.pool.name;
      std::string text = allocator::inventory::PoolText(seen->spec.driver, pool);
      if (pools_.contains(text) || !added.insert(std::move(text)).second) continue;
      for (const auto& slice : inventory_.OwnedOfPool(seen->spec.driver, pool)) {
        devices += slice->spec.devices.size();
        if (devices > kUnfitDevicesMax) return false;
        slices.push_back(slice);
      }
    }
    devices_ = devices;
    pools_.merge(added);
    std::ranges::move(slices, std::back_inserter(slices_));
    return true;
  }

  const std::set<std::string>& pools() const { return pools_; }
  /// In the order of a lister.
  std::vector<Frozen<resource_v1::ResourceSlice>> Take() && {
    std::ranges::sort(
        slices_, {}, [](const auto& slice) -> const std::string& { return slice->metadata.name; });
    return std::move(slices_);
  }

 private:
  const allocator::inventory::Inventory& inventory_;
  std::set<std::string> pools_;
  std::vector<Frozen<resource_v1::ResourceSlice>> slices_;
  size_t devices_ = 0;
};

}  // namespace

void Scheduler::FollowUnfitPods() {
  using Place = UnfitReports::Place;
  reports_.emplace(options_.explain,
                   options_.explains_elsewhere ? Place::kElsewhere : Place::kHere,
                   loop_.wakeup());
  claims_by_pool_ = cluster_.objects().claims.AddIndex([](const api::Object& object, auto& values) {
    const auto& allocation = object.As<resource_v1::ResourceClaim>().status.allocation;
    if (!allocation.has_value()) return;
    std::set<std::string> pools;
    for (const auto& result : allocation->devices.results)
      pools.insert(allocator::inventory::PoolText(result.driver, result.pool));
    values.insert(values.end(), pools.begin(), pools.end());
  });
}

void Scheduler::RunExplainer() {
  if (reports_.has_value()) reports_->Run();
}

std::optional<MonotonicTime> Scheduler::ExplainUnfitPods() {
  if (!reports_.has_value()) return std::nullopt;
  return reports_->Step(
      Now(),
      [this](const std::string& key) { return GatherUnfit(key); },
      [this](const api::Object& pod, const std::string& line) {
        reporter_.Record(pod,
                         {.type = client::EventType::kWarning,
                          .reason = std::string(kDevicesUnavailable),
                          .message = line,
                          .action = "Scheduling",
                          .component = NameFor(pod)});
      });
}

/// Whether the pod asks devices for anything.
bool Scheduler::AsksForDevices(const core_v1::Pod& pod) const {
  if (!pod.spec.resource_claims.empty()) return true;
  return std::ranges::any_of(RequestsOf(pod), [this](const auto& request) {
    return cluster_.ClassOf(request.first) != nullptr;
  });
}

std::optional<UnfitPod> Scheduler::GatherUnfit(const std::string& key) {
  const api::Object* const found = cluster_.FindPod(key);
  if (found == nullptr || found->metadata().deletion_timestamp) return std::nullopt;
  const auto& pod = found->As<core_v1::Pod>();
  if (!pod.spec.node_name.empty() || cluster_.IsAssumed(pod.metadata.uid)) return std::nullopt;
  auto resolved = ResolveClaims(pod, [this](std::string_view claim) { return FindClaim(claim); });
  auto* const claims = std::get_if<std::vector<api::Object>>(&resolved);
  if (claims == nullptr) return std::nullopt;
  UnfitPod unfit{.pod = *found,
                 .claims = std::move(*claims),
                 .features = options_.features,
                 .selectors = options_.selectors,
                 .cancelled = &stopping_};
  SeenPools pools(cluster_.Devices().cluster()->inventory());
  AddCandidates(pod, [&](const std::string& node) { return pools.Add(node); }, unfit);
  for (const std::string& pool : pools.pools()) {
    for (const std::string& claim : cluster_.objects().claims.Indexed(claims_by_pool_, pool))
      unfit.holders.push_back(*cluster_.FindClaim(claim));
    if (unfit.holders.size() > kUnfitHoldersMax) return std::nullopt;
  }
  unfit.slices = std::move(pools).Take();
  for (const auto& [name, object] : cluster_.objects().classes.objects()) {
    if (unfit.classes.size() == kClassesMax) return std::nullopt;
    unfit.classes.push_back(api::FrozenOf<resource_v1::DeviceClass>(object));
  }
  if (unfit.nodes.empty()) return std::nullopt;
  return unfit;
}

/// Nodes of which `add` allows, those that would take the pod if there are any.
void Scheduler::AddCandidates(const core_v1::Pod& pod,
                              const std::function<bool(const std::string& node)>& add,
                              UnfitPod& unfit) {
  PodNeeds needs = NeedsOf(pod);
  for (const auto& [resource, amount] : needs.requests) {
    if (cluster_.ClassOf(resource) != nullptr) needs.of_classes.insert(resource);
  }
  const std::vector<const NodeState*>& nodes = cluster_.use().nodes();
  const size_t asked = std::min(nodes.size(), kNodesAskedMax);
  unfit.is_sample = asked < nodes.size();
  for (size_t i = 0; i < asked; ++i) {
    const NodeState& node = *nodes[(first_node_ + i) % nodes.size()];
    if (FilterNode(needs, node).has_value()) continue;
    const bool is_full = unfit.nodes.size() == kUnfitNodesMax;
    if (is_full || !add(node.value().metadata.name)) {
      unfit.is_sample = true;
    } else {
      unfit.nodes.push_back(node);
    }
    if (is_full) break;
  }
  std::ranges::sort(unfit.nodes, {}, [](const NodeState& node) -> const std::string& {
    return node.value().metadata.name;
  });
}

}  // namespace dray::scheduler
