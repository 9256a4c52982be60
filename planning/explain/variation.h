// SPDX-License-Identifier: Apache-2.0
// A question to the allocator, changed a little: with fewer requests or constraints, with devices
// given back, with claims that read otherwise. What explains and what suggests asks it again so.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "dray/allocator.h"
#include "dray/budget.h"
#include "dray/snapshot.h"
#include "planning/explain/holders.h"
#include "scheduler/cluster/devices.h"

namespace dray::planning::inline explain {

using WantedClaims = std::vector<Frozen<api::resource_v1::ResourceClaim>>;

/// What one search came to.
enum class Fit : uint8_t { kYes, kNo, kUnknown };

/// Whether `claims` fit on the node; an error of the allocator is a no, a search that is given up
/// is unknown.
Fit FitOn(const allocator::Attempt& attempt,
          const api::core_v1::Node& node,
          const allocator::Budget& budget);

/// A cluster some of whose claims give their devices back, or where more is taken. One thread.
class FreedClaims {
 public:
  /// Both outlive this. O(devices taken) when first asked.
  FreedClaims(const allocator::Snapshot& snapshot, const Holders& holders)
      : snapshot_(snapshot), holders_(holders) {}

  /// The cluster without the claims at these places of the holders. O(devices concerned).
  allocator::Snapshot Without(std::span<const size_t> places);
  /// The cluster in which this is allocated too. O(devices concerned).
  allocator::Snapshot WithTaken(std::span<const api::resource_v1::AllocationResult> allocations);

 private:
  /// What all claims have, to be changed and changed back.
  scheduler::TakenDevices& Taken();

  const allocator::Snapshot& snapshot_;
  const Holders& holders_;
  std::unique_ptr<scheduler::TakenDevices> taken_;
};

/// The places of those whose removal leaves `still_holds` true are removed, one after the other, in
/// chunks first, until none is left that can be: what remains is minimal if `still_holds` says the
/// same whenever it is asked. `places` are 0 … count-1; those at the front are given up first.
std::vector<size_t> Minimal(size_t count,
                            const std::function<bool(std::span<const size_t>)>& still_holds);

}  // namespace dray::planning::inline explain
