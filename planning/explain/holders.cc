// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/holders.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::planning::inline explain {

namespace v1 = api::resource_v1;

std::string KeyOf(const v1::ResourceClaim& claim) {
  return fmt::format("{}/{}", claim.metadata.namespace_, claim.metadata.name);
}

Holders::Holders(std::vector<Frozen<v1::ResourceClaim>> claims) : claims_(std::move(claims)) {
  for (size_t i = 0; i < claims_.size(); ++i) {
    const auto& allocation = claims_[i]->status.allocation;
    if (!allocation.has_value()) continue;
    for (const v1::DeviceRequestAllocationResult& result : allocation->devices.results) {
      if (result.admin_access.value_or(false)) continue;
      taken_.emplace_back(
          allocator::DeviceIdView{
              .driver = result.driver, .pool = result.pool, .device = result.device},
          i);
    }
  }
  std::ranges::sort(taken_);
}

std::vector<size_t> Holders::Of(const allocator::DeviceIdView& device) const {
  const auto [first, last] = std::ranges::equal_range(
      taken_, device, {}, [](const auto& taken) -> const auto& { return taken.first; });
  std::vector<size_t> places;
  for (auto taken = first; taken != last; ++taken) {
    if (places.empty() || places.back() != taken->second) places.push_back(taken->second);
  }
  return places;
}

Holder Holders::At(size_t place) const {
  const v1::ResourceClaim& claim = *claims_[place];
  Holder holder{
      .claim = KeyOf(claim), .namespace_ = claim.metadata.namespace_, .uid = claim.metadata.uid};
  for (const v1::ResourceClaimConsumerReference& consumer : claim.status.reserved_for) {
    const bool is_pod = consumer.resource == "pods" && consumer.api_group.empty();
    holder.pods.push_back(is_pod ? consumer.name
                                 : fmt::format("{} {}", consumer.resource, consumer.name));
  }
  const auto& allocated = claim.status.allocation->allocation_timestamp;
  const auto& created = claim.metadata.creation_timestamp;
  if (allocated.has_value()) {
    holder.since = allocated->ToString();
  } else if (!created.IsZero()) {
    holder.since = created.ToString();
  }
  return holder;
}

}  // namespace dray::planning::inline explain
