// SPDX-License-Identifier: Apache-2.0
// What the scheduler follows beside where drivers' own controllers allocate (classic DRA,
// KEP-3063), and its writes there. The decisions are classic_dialogue.h's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1alpha2.h"
#include "base/log.h"
#include "base/result.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "scheduler/classic/classic_claims.h"
#include "scheduler/classic/classic_dialogue.h"
#include "scheduler/classic/structured_parameters.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline classic {

/// The claims of a pod and what was said about them so far.
struct ClassicAttempt {
  std::vector<ClassicClaim> claims;    // in the order of the pod's claims
  std::optional<api::Object> context;  // the PodSchedulingContext of the pod

  const api::resource_v1alpha2::PodSchedulingContext* said() const;
};

/// Belongs to the thread of the scheduler. The arguments outlive it.
class ClassicScheduling {
 public:
  struct Options {
    ClassicClaims generation;          // not kNone
    SchedulingQueue* queue = nullptr;  // never null; changes wake pods there
  };

  ClassicScheduling(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, const Options& options);

  /// Applies what has arrived; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const;
  ClassicClaims generation() const { return generation_; }

  /// A claim of the classic generation, by "namespace/name"; null: there is none.
  const api::Object* FindClaim(std::string_view key) const;
  /// Shows a claim of the classic generation as we have written it.
  void AssumeClaim(const api::Object& claim);

  /// Finds out about allocations that were written without an answer; whether any of these claims
  /// is another one now. Errors: it cannot be told yet, or another try is needed.
  Result<bool> SettleUnanswered(std::span<const api::Object> claims);
  /// What is to be decided about. `find_device_class`: for claims of the newer generation.
  ///
  /// Errors: in upstream's words: the PodSchedulingContext of that name is not the pod's; a node
  /// selector that is none; parameters that cannot be used.
  Result<ClassicAttempt> Begin(const api::Object& pod,
                               std::span<const api::Object> claims,
                               const ClassLookup& find_device_class) const;

  /// What may wake a pod that waits for its drivers, or for somebody to change these claims.
  WaitsFor WaitsForDrivers(const api::Object& pod, std::span<const api::Object> claims) const;

  /// What is free on a node for claims that the scheduler allocates, of the classic generation.
  allocator::InstancesOnNode InstancesOn(const std::string& node) const;
  /// Allocates all that the scheduler is to allocate, and reserves all others for the pod, in the
  /// order of its claims. Errors: those of the API, in upstream's words; what was written stays.
  Result<> AllocateAndReserve(const api::Object& pod,
                              std::span<const api::Object> claims,
                              const ClassicAttempt& attempt,
                              const std::string& node);

  /// Says it to the drivers; wakes the pod. Errors: those of the API.
  Result<> SayTo(const api::Object& pod,
                 const ClassicAttempt& attempt,
                 const api::resource_v1alpha2::PodSchedulingContextSpec& spec);
  /// Tells the drivers that no node is chosen any more, if one was.
  Result<> UnselectNode(const api::Object& pod);
  /// The pod is bound: nothing is left to be said.
  void EndDialogue(const api::Object& pod);

 private:
  static std::string WakeKeyOf(const api::meta_v1::ObjectMeta& pod);
  void OnClaim(const api::Object* before, const api::Object* after);
  MonotonicTime Now() const { return world_.clock.Monotonic(); }

  client::Client& client_;
  World& world_;
  Log log_;
  const ClassicClaims generation_;
  SchedulingQueue& queue_;
  client::Informer contexts_;
  std::optional<client::Informer> claims_;          // kAll
  std::optional<client::Informer> classes_;         // kAll
  std::optional<StructuredParameters> structured_;  // kAll
};

}  // namespace dray::scheduler::inline classic
