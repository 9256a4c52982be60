// SPDX-License-Identifier: Apache-2.0
// The resource-claim controller: makes claims from templates, for pods and for groups of pods,
// drops reservations of pods that are done and of groups that are gone, takes allocations back, and
// deletes generated claims whose pod is done or gone (the garbage collector would do the latter,
// too; here devices do not wait for it). The shell around claim_generation.h and claim_sync.h.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "base/world.h"
#include "client/client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/shared_informers.h"
#include "client/work_queue.h"
#include "client/write_rounds.h"
#include "controllers/claim_generation.h"
#include "controllers/claim_metrics.h"
#include "controllers/claim_sync.h"
#include "controllers/classic_claims.h"
#include "controllers/key_loop.h"

namespace dray::controllers {

/// Belongs to one thread, which calls Step() when woken. The arguments outlive it.
class ResourceClaimController {
 public:
  struct Options {
    /// Claims are made for pod groups too, and kept for them (DRAWorkloadResourceClaims).
    bool group_claims = false;
    client::WorkQueue::Options queue = {};
    /// The generation of claims that drivers' own controllers allocate. kNone: there are none.
    ClassicClaims classic = ClassicClaims::kNone;
  };

  ResourceClaimController(client::Client& client,
                          World& world,
                          client::SharedInformers& informers,
                          Log log,
                          Options options);
  ResourceClaimController(const ResourceClaimController&) = delete;
  ResourceClaimController& operator=(const ResourceClaimController&) = delete;
  ~ResourceClaimController() = default;

  /// Before the first Step: what is done is counted. `registry` outlives this.
  void CountIn(metrics::Registry& registry);
  /// Handles what has arrived and some keys; returns when it wants to run again anyway.
  std::optional<MonotonicTime> Step();

 private:
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnTemplate(const api::Object* after);
  void OnGroup(const api::Object* before, const api::Object* after);
  void Enqueue(std::string_view type, std::string_view key);
  void EnqueueAll();

  void HandleSome();
  Task<> Handle(const std::string& key);
  std::vector<const api::Object*> ClaimsOf(const std::string& owner_uid) const;
  // Tasks write in rounds_; what is pointed to outlives them.
  Task<> SyncPod(std::string key);
  Task<> SyncGroup(std::string key);
  /// Makes what is missing and writes `known`, the records of a status, with it: as one sequence
  /// where that can be, else step by step.
  template <class Record>
  Task<> MakeKnown(const api::Object* object,
                   const ClaimOwner* owner,
                   const std::vector<MissingClaim>* missing,
                   std::vector<Record> known);
  /// Whether that was possible as one sequence; if not, nothing was written.
  template <class Record>
  Task<bool> MakeAtOnce(const api::Object* object,
                        const ClaimOwner* owner,
                        const std::vector<MissingClaim>* missing,
                        std::vector<Record> known);
  /// The claim for an entry. Errors: its template is not there.
  Result<api::Object> NewClaim(const ClaimOwner& owner, const MissingClaim& missing) const;
  /// Makes what is missing and appends it to `known`.
  template <class Record>
  Task<> CreateClaims(const api::Object* object,
                      const ClaimOwner* owner,
                      const std::vector<MissingClaim>* missing,
                      std::vector<Record>* known);
  Task<std::string> CreateClaim(const ClaimOwner* owner, const MissingClaim* missing);
  template <class Record>
  Task<> RecordClaims(const api::Object* object, std::vector<Record> known);
  /// The mirror of pods or of groups, whichever `object` is.
  client::Informer& MirrorOf(const api::Object& object);
  Task<> Reserve(const MissingReservation* missing);
  Result<> ReadClaimsAgain(const api::core_v1::Pod& pod);
  Result<> SelectNodeForDrivers(const api::core_v1::Pod& pod);

  Task<> SyncClaim(std::string key);
  Result<std::set<std::string>> AliveConsumers(const api::Object& claim);
  Result<bool> IsAlive(const std::string& namespace_,
                       const api::resource_v1::ResourceClaimConsumerReference& consumer);
  /// The object of that name and uid if it is still there: null when it is gone for certain.
  Result<std::optional<api::Object>> FindConsumer(const client::Informer& mirror,
                                                  const client::ObjectRef& ref,
                                                  const std::string& uid);
  Result<Owner> OwnerOf(const api::meta_v1::ObjectMeta& claim);
  Task<api::Object> Perform(const api::Object* claim, const ClaimAction* action);

  void RememberDeleted(const std::string& uid);

  client::Client& client_;
  World& world_;
  Log log_;
  const Options options_;
  client::EventRecorder events_;
  KeyLoop keys_;
  client::WriteRounds rounds_;
  std::optional<ClaimMetrics> metrics_;
  std::deque<std::string> deleted_order_;
  std::set<std::string, std::less<>> deleted_;  // uids of pods and groups seen deleted

  client::Informer& templates_;
  client::Informer& claims_;
  client::Informer& pods_;
  client::Informer* groups_ = nullptr;
  client::Informer* contexts_ = nullptr;  // where drivers' own controllers allocate
  size_t claims_by_owner_ = 0;
  size_t pods_by_claim_ = 0;
  size_t pods_by_template_ = 0;
  size_t pods_by_group_ = 0;
  size_t groups_by_template_ = 0;
};

}  // namespace dray::controllers
