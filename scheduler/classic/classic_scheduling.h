// SPDX-License-Identifier: Apache-2.0
// Follows the additional kinds of classic DRA (KEP-3063), where drivers' own controllers allocate,
// and writes them. classic_dialogue.h makes the decisions.
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

/// The claims of a pod and its dialogue with the drivers so far.
struct ClassicAttempt {
  std::vector<ClassicClaim> claims;    // in the order of the pod's claims
  std::optional<api::Object> context;  // the PodSchedulingContext of the pod

  const api::resource_v1alpha2::PodSchedulingContext* said() const;
};

/// For the scheduler's thread. The arguments must outlive it.
class ClassicScheduling {
 public:
  struct Options {
    ClassicClaims generation;          // not kNone
    SchedulingQueue* queue = nullptr;  // never null; changes wake pods there
  };

  ClassicScheduling(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, const Options& options);

  /// Applies new watch events; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const;
  ClassicClaims generation() const { return generation_; }

  /// A claim of the classic generation, by "namespace/name"; null: there is none.
  const api::Object* FindClaim(std::string_view key) const;
  /// Applies our own write of a claim of the classic generation before its watch event arrives.
  void AssumeClaim(const api::Object& claim);

  /// Settles unanswered writes of allocations. Returns whether any of these claims has changed.
  /// Errors: an outcome is still unknown, or another try is needed.
  Result<bool> SettleUnanswered(std::span<const api::Object> claims);
  /// Reads the claims and the dialogue. `find_device_class`: for claims of the newer generation.
  ///
  /// Errors, in upstream's words: the PodSchedulingContext of that name belongs to another pod; an
  /// invalid node selector; parameters that cannot be used.
  Result<ClassicAttempt> Begin(const api::Object& pod,
                               std::span<const api::Object> claims,
                               const ClassLookup& find_device_class) const;

  /// What wakes a pod that waits for its drivers, or for a change of these claims.
  WaitsFor WaitsForDrivers(const api::Object& pod, std::span<const api::Object> claims) const;

  /// The node's free instances, for classic claims that the scheduler allocates.
  allocator::InstancesOnNode InstancesOn(const std::string& node) const;
  /// Allocates the claims that the scheduler must allocate, and reserves all others for the pod, in
  /// the order of its claims. Errors: those of the API, in upstream's words; finished writes stay.
  Result<> AllocateAndReserve(const api::Object& pod,
                              std::span<const api::Object> claims,
                              const ClassicAttempt& attempt,
                              const std::string& node);

  /// Writes `spec` for the drivers; this wakes the pod. Errors: those of the API.
  Result<> SayTo(const api::Object& pod,
                 const ClassicAttempt& attempt,
                 const api::resource_v1alpha2::PodSchedulingContextSpec& spec);
  /// Withdraws the node selected for the drivers, if there is one.
  Result<> UnselectNode(const api::Object& pod);
  /// Deletes the dialogue of a pod that is bound.
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
