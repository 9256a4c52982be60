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
#include "scheduler/classic_claims.h"
#include "scheduler/classic_dialogue.h"
#include "scheduler/queue.h"

namespace dray::scheduler {

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

  /// What is to be decided about. `find_device_class`: for claims of the newer generation.
  ///
  /// Errors: in upstream's words: the PodSchedulingContext of that name is not the pod's; a node
  /// selector that is none.
  Result<ClassicAttempt> Begin(const api::Object& pod,
                               std::span<const api::Object> claims,
                               const ClassLookup& find_device_class) const;

  /// What may wake a pod that waits for its drivers, or for somebody to change these claims.
  WaitsFor WaitsForDrivers(const api::Object& pod, std::span<const api::Object> claims) const;

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
  std::optional<client::Informer> claims_;   // kAll
  std::optional<client::Informer> classes_;  // kAll
};

}  // namespace dray::scheduler
