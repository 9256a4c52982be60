// SPDX-License-Identifier: Apache-2.0
#include "scheduler/unfit_reporter.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/claims/pod_groups.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "scheduler/pod_claims.h"

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
  SeenPools pools(uses_.cluster.Devices().cluster()->inventory());
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

/// Adds nodes that would take the pod, devices aside, as far as `add` allows.
void UnfitReporter::AddCandidates(const core_v1::Pod& pod,
                                  size_t first_node,
                                  const std::function<bool(const std::string& node)>& add,
                                  UnfitPod& unfit) {
  PodNeeds needs = NeedsOf(pod);
  for (const auto& [resource, amount] : needs.requests) {
    if (uses_.cluster.ClassOf(resource) != nullptr) needs.of_classes.insert(resource);
  }
  const std::vector<const NodeState*>& nodes = uses_.cluster.use().nodes();
  const size_t asked = std::min(nodes.size(), kNodesAskedMax);
  unfit.is_sample = asked < nodes.size();
  for (size_t i = 0; i < asked; ++i) {
    const NodeState& node = *nodes[(first_node + i) % nodes.size()];
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
