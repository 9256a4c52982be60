// SPDX-License-Identifier: Apache-2.0
// Allocation of classic claims by the scheduler of 1.30 itself (structured parameters of v1alpha2):
// follows slices, parameters, and which instances are in use. allocator/named_resources.h searches
// for instances.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/named_resources.h"
#include "api/object.h"
#include "api/resource_v1alpha2.h"
#include "base/log.h"
#include "base/result.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "scheduler/classic/classic_claims.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline classic {

/// For the scheduler's thread. The arguments must outlive it.
class StructuredParameters {
 public:
  StructuredParameters(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, SchedulingQueue& queue);

  /// Applies new watch events; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const;

  /// Returns the request of an unallocated claim, from its parameters and those of its class.
  /// Parameters are the objects referred to, or those generated from the objects referred to.
  ///
  /// Errors: those of allocator::NamedResourcesDemand::Read.
  Result<StructuredDemand> DemandOf(const api::resource_v1alpha2::ResourceClaim& claim,
                                    const api::resource_v1alpha2::ResourceClass& of_whom) const;

  /// The node's instances for the claims of one pod.
  allocator::InstancesOnNode On(const std::string& node) const;

  /// Writes the finalizer, then allocation and the pod's reservation in one update. Retries when
  /// other clients have changed the claim. If the server does not answer, the instances stay in use
  /// until the outcome is known (see SettleUnanswered).
  ///
  /// Errors: those of the API; kConflict  the claim has changed in a way that matters.
  Result<api::Object> Allocate(const api::Object& claim,
                               const api::Object& pod,
                               const std::string& driver,
                               const api::resource_v1alpha2::AllocationResult& allocation);

  /// Whether the outcome of an allocation of the claim is unknown.
  bool IsUnanswered(const api::Object& claim) const;
  /// Repeats the unanswered write, so that it happens now or never. Returns the claim as stored.
  /// Errors: those of the API; kConflict  the first write has happened, or never will.
  Result<api::Object> SettleUnanswered(const api::Object& claim);

  /// Call for every change of a classic claim.
  void OnClaim(const api::Object* before, const api::Object* after);

 private:
  void Take(const std::vector<allocator::InstanceId>& instances);
  void Free(const std::vector<allocator::InstanceId>& instances);
  Result<api::Object> TryToAllocate(const api::Object& claim,
                                    const api::Object& pod,
                                    const std::string& driver,
                                    const api::resource_v1alpha2::AllocationResult& allocation);
  Result<api::Object> WriteAllocation(api::Object wanted);

  client::Client& client_;
  mutable cel::SelectorCache selectors_;
  client::Informer slices_;
  client::Informer class_parameters_;
  client::Informer claim_parameters_;
  size_t slices_by_node_;
  size_t class_parameters_by_source_;
  size_t claim_parameters_by_source_;
  std::map<allocator::InstanceId, int> in_use_;                 // number of claims
  std::map<std::string, api::Object, std::less<>> unanswered_;  // as written, by uid of the claim
};

}  // namespace dray::scheduler::inline classic
