// SPDX-License-Identifier: Apache-2.0
// Whether one result of an allocation is compatible with all others, of its own claim and of other
// claims. Checks the sum after the write, counted as the allocator counts
// (api/claims/pool_accounts.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "server/registry/pool_holders.h"

namespace dray::server::registry {

/// The allocations of one pool after a write.
struct PoolSum {
  size_t devices = 0;      // allocated ones
  std::string other{};     // another claim with one of them
  std::string doubt{};     // why their counters are unknown; empty: known
  std::string shortage{};  // why the counters do not suffice; empty: they do
};

/// Checks one write.
class OverlapJudge {
 public:
  using Result = api::resource_v1::DeviceRequestAllocationResult;

  /// Both claims outlive it.
  OverlapJudge(const api::resource_v1::ResourceClaim& before,
               const api::resource_v1::ResourceClaim& after);

  /// Whether the write adds the result to the claim, without administrative access.
  bool IsNewlyTaken(const Result& result) const;
  /// Whether the decision depends on the other devices of the pool.
  bool ConcernsPool(const PoolHolders& pool, const Result& result) const;

  /// Why the claim cannot have the device or share, with another claim that holds it or a part of
  /// it; empty if it can.
  std::string FindOverlap(const PoolHolders& pool, const Result& result);
  /// An invalid amount in the result: negative, or zero where the share takes something.
  std::optional<ErrorCause> FindBadAmount(const PoolHolders& pool, const Result& result) const;

 private:
  const PoolSum& SumOf(const PoolHolders& pool, const Result& result);
  PoolSum MakeSum(const PoolHolders& pool, const Result& result) const;
  std::string PoolOverlap(const PoolHolders& pool, const Result& result);

  const api::resource_v1::ResourceClaim& after_;
  const api::resource_v1::AllocationResult& old_;
  const api::resource_v1::AllocationResult& now_;
  const std::string key_;
  std::map<const PoolHolders*, PoolSum> sums_;
};

/// The claim's allocation; an empty one if it has none.
const api::resource_v1::AllocationResult& AllocationOf(
    const api::resource_v1::ResourceClaim* claim);

}  // namespace dray::server::registry
