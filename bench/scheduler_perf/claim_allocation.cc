// SPDX-License-Identifier: Apache-2.0
#include "bench/scheduler_perf/claim_allocation.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/try.h"
#include "client/list_all.h"
#include "dray/allocator.h"
#include "dray/claims.h"
#include "dray/profile.h"
#include "dray/snapshot.h"

namespace dray::bench {
namespace {

namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;

/// The first allocation that one of the nodes has for the claim, beginning at `first`.
Result<allocator::Allocation> FirstOn(const std::vector<Frozen<api::core_v1::Node>>& nodes,
                                      size_t first,
                                      const allocator::Snapshot& cluster,
                                      const Frozen<ResourceClaim>& claim) {
  const allocator::Attempt attempt(cluster, {&claim, 1});
  for (size_t i = 0; i < nodes.size(); ++i) {
    DRAY_TRY(allocator::Outcome outcome, attempt.Allocate(*nodes[(first + i) % nodes.size()]));
    if (auto* const found = std::get_if<allocator::Allocation>(&outcome)) return std::move(*found);
  }
  return Fail(StatusReason::kInvalid,
              fmt::format("no node has devices for the claim {}", claim->metadata.name));
}

}  // namespace

Result<> AllocateClaims(client::Client& client, const std::string& namespace_, const Gates& gates) {
  DRAY_TRY(const allocator::Features features, allocator::FeaturesOf({}, ToText(gates)));
  DRAY_TRY(auto slices, client::ListAll<resource_v1::ResourceSlice>(client));
  DRAY_TRY(const auto classes, client::ListAll<resource_v1::DeviceClass>(client));
  DRAY_TRY(const auto claims, client::ListAll<ResourceClaim>(client));
  DRAY_TRY(auto nodes, client::ListAll<api::core_v1::Node>(client));
  std::ranges::shuffle(nodes, std::mt19937(1));  // NOLINT(cert-msc51-cpp): the same in each run
  allocator::Snapshot cluster(
      {.features = features}, std::move(slices), classes, allocator::StateOf(claims, features));
  size_t first = 0;
  for (const Frozen<ResourceClaim>& claim : claims) {
    const bool is_wanted = claim->metadata.namespace_ == namespace_ || namespace_.empty();
    if (!is_wanted || claim->status.allocation.has_value()) continue;
    DRAY_TRY(allocator::Allocation found, FirstOn(nodes, first++, cluster, claim));
    cluster = cluster.With(found);
    ResourceClaim allocated = *claim;
    allocated.status.allocation = std::move(found.results.front());
    DRAY_TRY_VOID(client.Update(api::Object::Of(std::move(allocated)), "status"));
  }
  return {};
}

}  // namespace dray::bench
