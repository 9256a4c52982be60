// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/unfit_reporter.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/internals.h"
#include "allocator/inventory/inventory.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/claims/pod_groups.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/selectors/node_selector_match.h"
#include "base/work.h"
#include "scheduler/cluster/extended_resources.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/table.h"
#include "scheduler/reports/unfit_candidates.h"

namespace dray::scheduler::inline reports {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

/// The work to choose kUnfitNodesMax nodes: about 2 ms. In a cluster that needs more, the choice is
/// among the nodes that the next attempt would try first.
constexpr uint64_t kChoiceWorkMax = 2'000'000;
constexpr uint64_t kWorkPerNodeFiltered = 300;
constexpr size_t kClassesMax = 64;

/// Collects the whole pools of some nodes.
class SeenPools {
 public:
  explicit SeenPools(const allocator::inventory::Inventory& inventory) : inventory_(inventory) {}

  /// False: with this node there would be too many devices; nothing is added.
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
  /// In the order in which a list request returns them.
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

/// The node selectors of the pod's allocated claims.
std::vector<api::NodeSelector> PlacesOf(std::span<const api::Object> claims) {
  std::vector<api::NodeSelector> places;
  for (const api::Object& claim : claims) {
    const auto& allocation = claim.As<resource_v1::ResourceClaim>().status.allocation;
    if (allocation.has_value() && allocation->node_selector.has_value())
      places.push_back(api::NodeSelector::ParseLazily(api::NodeTerms(*allocation->node_selector)));
  }
  return places;
}

bool AreReachable(std::span<const api::NodeSelector> places, const NodeState& node) {
  const auto& metadata = node.value().metadata;
  return std::ranges::all_of(places, [&](const api::NodeSelector& place) {
    return place.Match(metadata.labels, metadata.name).value_or(false);
  });
}

/// The claims that need devices, with the one that would be made for the pod's extended resources.
std::vector<Frozen<resource_v1::ResourceClaim>> ClaimsWithoutDevices(
    const ClusterCache& cluster,
    const core_v1::Pod& pod,
    const PodNeeds& needs,
    std::span<const api::Object> claims) {
  std::vector<Frozen<resource_v1::ResourceClaim>> wanted;
  for (const api::Object& claim : claims) {
    if (!claim.As<resource_v1::ResourceClaim>().status.allocation.has_value())
      wanted.push_back(api::FrozenOf<resource_v1::ResourceClaim>(claim));
  }
  if (needs.of_classes.empty()) return wanted;
  auto requests = RequestsForResources(
      pod, needs.of_classes, [&](std::string_view resource) { return cluster.ClassOf(resource); });
  wanted.push_back(std::make_shared<const resource_v1::ResourceClaim>(
      MakeExtendedClaim(pod, std::move(requests.requests))));
  return wanted;
}

}  // namespace

UnfitReporter::UnfitReporter(const Uses& uses,
                             ExplainUnfit explain,
                             UnfitReports::Place place,
                             Wakeup& wakeup)
    : uses_(uses),
      reports_(std::move(explain), place, wakeup),
      claims_by_pool_(
          uses.cluster.objects().claims.AddIndex([](const api::Object& object, auto& values) {
            const auto& allocation = object.As<resource_v1::ResourceClaim>().status.allocation;
            if (!allocation.has_value()) return;
            std::set<std::string> pools;
            for (const auto& result : allocation->devices.results)
              pools.insert(allocator::inventory::PoolText(result.driver, result.pool));
            values.insert(values.end(), pools.begin(), pools.end());
          })) {}

void UnfitReporter::Note(const api::Object& pod) {
  if (AsksForDevices(pod.As<core_v1::Pod>())) reports_.Note(pod, uses_.clock.Monotonic());
}

std::optional<MonotonicTime> UnfitReporter::Step(size_t first_node) {
  return reports_.Step(
      uses_.clock.Monotonic(),
      [&](const std::string& key) { return Gather(key, first_node); },
      [this](const api::Object& pod, const std::string& line) {
        uses_.reporter.Record(
            pod,
            {.type = client::EventType::kWarning,
             .reason = std::string(kDevicesUnavailable),
             .message = line,
             .action = "Scheduling",
             .component = ReporterOf(uses_.configuration, pod.As<core_v1::Pod>())});
      });
}

bool UnfitReporter::AsksForDevices(const core_v1::Pod& pod) const {
  if (!pod.spec.resource_claims.empty()) return true;
  return std::ranges::any_of(RequestsOf(pod), [this](const auto& request) {
    return uses_.cluster.ClassOf(request.first) != nullptr;
  });
}

std::optional<UnfitPod> UnfitReporter::Gather(const std::string& key, size_t first_node) {
  const api::Object* const found = uses_.cluster.FindPod(key);
  if (found == nullptr || found->metadata().deletion_timestamp) return std::nullopt;
  const auto& pod = found->As<core_v1::Pod>();
  if (!pod.spec.node_name.empty() || uses_.cluster.IsAssumed(pod.metadata.uid)) return std::nullopt;
  auto resolved =
      ResolveClaims(pod, [this](std::string_view claim) { return uses_.cluster.FindClaim(claim); });
  auto* const claims = std::get_if<std::vector<api::Object>>(&resolved);
  if (claims == nullptr) return std::nullopt;
  UnfitPod unfit{.pod = *found,
                 .claims = std::move(*claims),
                 .features = uses_.cluster.options().features,
                 .selectors = uses_.cluster.options().selectors,
                 .cancelled = &uses_.cancelled};
  SeenPools pools(allocator::Internals::ClusterOf(uses_.cluster.Devices())->inventory());
  AddCandidates(pod, first_node, [&](const std::string& node) { return pools.Add(node); }, unfit);
  for (const std::string& pool : pools.pools()) {
    for (const std::string& claim : uses_.cluster.objects().claims.Indexed(claims_by_pool_, pool))
      unfit.holders.push_back(*uses_.cluster.FindClaim(claim));
    if (unfit.holders.size() > kUnfitHoldersMax) return std::nullopt;
  }
  unfit.slices = std::move(pools).Take();
  for (const auto& [name, object] : uses_.cluster.objects().classes.objects()) {
    if (unfit.classes.size() == kClassesMax) return std::nullopt;
    unfit.classes.push_back(api::FrozenOf<resource_v1::DeviceClass>(object));
  }
  if (unfit.nodes.empty()) return std::nullopt;
  return unfit;
}

/// Adds nodes that fit, devices aside, as far as `add` allows: some of each group of nodes with the
/// same devices for the pod.
void UnfitReporter::AddCandidates(const core_v1::Pod& pod,
                                  size_t first_node,
                                  const std::function<bool(const std::string& node)>& add,
                                  UnfitPod& unfit) {
  PodNeeds needs = NeedsOf(pod);
  for (const auto& [resource, amount] : needs.requests) {
    if (uses_.cluster.ClassOf(resource) != nullptr) needs.of_classes.insert(resource);
  }
  const std::vector<api::NodeSelector> places = PlacesOf(unfit.claims);
  const auto wanted = ClaimsWithoutDevices(uses_.cluster, pod, needs, unfit.claims);
  Work work(kChoiceWorkMax);
  UnfitCandidates candidates(uses_.cluster.Devices(), wanted, work);
  const std::vector<const NodeState*>& nodes = uses_.cluster.use().nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (work.is_spent()) {
      unfit.is_sample = true;
      break;
    }
    const NodeState& node = *nodes[(first_node + i) % nodes.size()];
    work.Charge(kWorkPerNodeFiltered + needs.work_per_node);
    if (AreReachable(places, node) && !Filter({.needs = &needs}, node).has_value()) {
      candidates.Add(node);
    }
  }
  for (const NodeState* node : candidates.InTurns()) {
    if (unfit.nodes.size() == kUnfitNodesMax) break;
    if (add(node->value().metadata.name)) unfit.nodes.push_back(*node);
  }
  unfit.is_sample = unfit.is_sample || unfit.nodes.size() < candidates.size();
  std::ranges::sort(unfit.nodes, {}, [](const NodeState& node) -> const std::string& {
    return node.value().metadata.name;
  });
}

}  // namespace dray::scheduler::inline reports
