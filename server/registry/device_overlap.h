// SPDX-License-Identifier: Apache-2.0
// Whether one result of an allocation may stand beside all others, of its own claim and of other
// claims: judged by the sum that there would be after the write, counted as the allocator counts
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

/// What there would be of one pool after a write.
struct PoolSum {
  size_t devices = 0;      // that anybody has
  std::string other{};     // a claim that has one of them, and is not the one that is written
  std::string doubt{};     // why it is not known what they draw from counters; empty: it is
  std::string shortage{};  // why the counters do not suffice; empty: they do
};

/// The judge of one write.
class OverlapJudge {
 public:
  using Result = api::resource_v1::DeviceRequestAllocationResult;

  /// All of them outlive it.
  OverlapJudge(const api::resource_v1::ResourceClaim& before,
               const api::resource_v1::ResourceClaim& after);

  /// Whether the claim takes what the result names, and did not have it before.
  bool IsNewlyTaken(const Result& result) const;
  /// Whether what is decided about the result depends on the other devices of its pool.
  bool ConcernsPool(const PoolHolders& pool, const Result& result) const;

  /// Why the claim cannot have what the result names, with another claim that has it or a part of
  /// it; empty if it can.
  std::string FindOverlap(const PoolHolders& pool, const Result& result);
  /// An amount of the result that is none: negative, or zero where something is taken.
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

/// Nothing, for a claim without an allocation.
const api::resource_v1::AllocationResult& AllocationOf(
    const api::resource_v1::ResourceClaim* claim);

}  // namespace dray::server::registry
