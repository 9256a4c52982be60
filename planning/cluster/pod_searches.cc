// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/pod_searches.h"

#include <algorithm>

namespace dray::planning::inline cluster {

const allocator::Attempt& PodSearches::For(
    const allocator::Snapshot& devices,
    std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return std::ranges::equal(
        kept.wanted, wanted, [](const auto& a, const auto& b) { return a == b || *a == *b; });
  });
  if (found != kept_.end()) return found->attempt;
  return kept_.emplace_back(devices, wanted).attempt;
}

}  // namespace dray::planning::inline cluster
