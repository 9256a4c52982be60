// SPDX-License-Identifier: Apache-2.0
// Variations of a question to the allocator: with fewer requests or constraints, with devices
// freed, or with changed claims. Explanations and suggestions are made from their answers.
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
#include "base/frozen.h"
#include "dray/allocator.h"
#include "dray/budget.h"
#include "dray/snapshot.h"
#include "planning/explain/holders.h"
#include "scheduler/cluster/devices.h"

namespace dray::planning::inline explain {

using WantedClaims = std::vector<Frozen<api::resource_v1::ResourceClaim>>;

/// The result of one search.
enum class Fit : uint8_t { kYes, kNo, kUnknown };

/// Whether `claims` fit on the node. An error of the allocator is kNo; a search that is given up is
/// kUnknown.
Fit FitOn(const allocator::Attempt& attempt,
          const api::core_v1::Node& node,
          const allocator::Budget& budget);

/// A cluster in which some claims are freed, or in which more devices are taken. Not thread-safe.
class FreedClaims {
 public:
  /// Both must outlive this. The first call takes O(devices taken).
  FreedClaims(const allocator::Snapshot& snapshot, const Holders& holders)
      : snapshot_(snapshot), holders_(holders) {}

  /// The cluster without the claims at these indexes of the holders. O(devices concerned).
  allocator::Snapshot Without(std::span<const size_t> places);
  /// The cluster with these additional allocations. O(devices concerned).
  allocator::Snapshot WithTaken(std::span<const api::resource_v1::AllocationResult> allocations);

 private:
  /// The allocations of all claims; callers change them and undo their changes.
  scheduler::TakenDevices& Taken();

  const allocator::Snapshot& snapshot_;
  const Holders& holders_;
  std::unique_ptr<scheduler::TakenDevices> taken_;
};

/// Removes indexes (0 … count-1) one after the other, in chunks first, as long as `still_holds` is
/// true for the rest; those at the front are removed first. The result is minimal if `still_holds`
/// is deterministic.
std::vector<size_t> Minimal(size_t count,
                            const std::function<bool(std::span<const size_t>)>& still_holds);

}  // namespace dray::planning::inline explain
