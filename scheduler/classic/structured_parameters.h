// SPDX-License-Identifier: Apache-2.0
// What the scheduler of 1.30 follows to allocate classic claims itself (structured parameters of
// v1alpha2): slices, parameters, which instances are in use. The search for instances is
// allocator/named_resources.h.
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

/// Belongs to the thread of the scheduler. The arguments outlive it.
class StructuredParameters {
 public:
  StructuredParameters(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, SchedulingQueue& queue);

  /// Applies what has arrived; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const;

  /// What the claim, which has no allocation yet, asks for by its parameters and those of its
  /// class: those referred to, or those that were generated from what is referred to.
  ///
  /// Errors: those of allocator::NamedResourcesWish::Read.
  Result<StructuredWish> WishOf(const api::resource_v1alpha2::ResourceClaim& claim,
                                const api::resource_v1alpha2::ResourceClass& of_whom) const;

  /// For the claims of one pod.
  allocator::InstancesOnNode On(const std::string& node) const;

  /// Finalizer, then allocation and the pod's reservation in one update, again when others changed
  /// the claim. If that is not answered, the instances stay in use until it is known (see
  /// SettleUnanswered).
  ///
  /// Errors: those of the API; kConflict  the claim is not as it was.
  Result<api::Object> Allocate(const api::Object& claim,
                               const api::Object& pod,
                               const std::string& driver,
                               const api::resource_v1alpha2::AllocationResult& allocation);

  /// Whether nobody knows what became of an allocation of the claim.
  bool IsUnanswered(const api::Object& claim) const;
  /// Writes it again, so that it is carried out now or never; the claim then. Errors: those of the
  /// API; kConflict  it has been carried out, or never will be.
  Result<api::Object> SettleUnanswered(const api::Object& claim);

  /// A classic claim has changed.
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
  std::map<allocator::InstanceId, int> in_use_;                 // by how many claims
  std::map<std::string, api::Object, std::less<>> unanswered_;  // as wanted, by uid of the claim
};

}  // namespace dray::scheduler::inline classic
