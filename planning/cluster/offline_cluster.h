// SPDX-License-Identifier: Apache-2.0
// Predicts the scheduler's decisions about the pods of a cluster made of manifests, and allocations
// of claims that no pod uses. Pods and claims are decided one by one, and each sees what earlier
// ones took.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/allocation.h"
#include "base/lazy.h"
#include "base/world.h"
#include "dray/allocator.h"
#include "dray/budget.h"
#include "dray/features.h"
#include "dray/snapshot.h"
#include "planning/cluster/admission.h"
#include "planning/cluster/pod_searches.h"
#include "planning/explain/explanation.h"
#include "planning/explain/explanation_memory.h"
#include "planning/explain/first_failure.h"
#include "planning/explain/holders.h"
#include "planning/objects/hindrance.h"
#include "planning/objects/offline_objects.h"
#include "planning/objects/workloads.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/attempt.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/cycle/unschedulable.h"
#include "scheduler/groups/group_preemption.h"
#include "scheduler/groups/group_topology.h"
#include "scheduler/groups/group_trial.h"

namespace dray::planning::inline cluster {

enum class NodeAnswers : uint8_t { kFirstThatFits, kEach };

struct OfflineOptions {
  allocator::Features features = {};
  std::string node = {};          // the only candidate; empty: all nodes
  std::string namespace_ = {};    // decide about its pods and claims only; empty: all
  allocator::Budget budget = {};  // of one search
  NodeAnswers answers = NodeAnswers::kFirstThatFits;
  /// Leaves out pods that request no devices.
  bool devices_only = false;
  /// Decide about these only ("pod namespace/name", "claim …"); nothing: about all of them.
  std::optional<std::set<std::string>> only = {};
  /// Pods that AllocateAll decides about as well ("pod namespace/name"); nothing moves for them.
  std::set<std::string> queued = {};
  /// Whether to compute OfflineAnswer::failures; takes one search or more for each node.
  bool finds_failures = true;
  /// AllocateAll calls this before it decides about each of them.
  std::function<void(std::string_view what)> begins = {};
  /// False: of equal nodes the first by name wins. True: the search starts after the node of the
  /// pod before, as in the scheduler.
  bool nodes_take_turns = false;
  bool defragments = false;  // AllocateAll moves pods to make room
  /// Device classes serve extended resources (DRAExtendedResource).
  bool extended_resources = true;
  /// Devices may take resources of their nodes (DRANodeAllocatableResources).
  bool node_allocatable = false;
  /// Pods of a group are placed together (GenericWorkload), may share claims
  /// (DRAWorkloadResourceClaims), and may require nodes of one topology domain
  /// (TopologyAwareWorkloadScheduling).
  bool pod_groups = false;
  bool group_claims = false;
  bool group_topology = false;
  /// Compiled selectors to share; null: new ones.
  std::shared_ptr<allocator::SelectorCache> selectors = nullptr;
  /// kLine: for readers with access to one namespace; claims of other namespaces are not named.
  Detail detail = Detail::kFull;
};

enum class Verdict : uint8_t {
  kFits,
  kDoesNotFit,
  kRefused,    // rejected before any node is tried; see Hindrance
  kUndecided,  // the search ran out of budget
};

/// "fits", "doesNotFit", "refused", "undecided": for programs.
std::string_view VerdictName(Verdict verdict);

/// The answer for a pod or claim on one node.
struct NodeAnswer {
  std::string node;
  Verdict verdict = Verdict::kFits;
  std::string reason = {};               // why it does not fit; empty when it does
  std::vector<api::Object> claims = {};  // with their allocations, when it fits
  std::optional<FirstFailure> failure = {};
};

/// A running pod that would move to another node.
struct Move {
  std::string pod;                       // namespace/name
  std::string from, to;                  // nodes; they may be the same
  std::vector<api::Object> claims = {};  // with their new allocations
};

/// The answer for one pod, or for one claim that no pod uses.
struct OfflineAnswer {
  std::string what;       // "pod default/trainer-0", "claim default/single-gpu"
  std::string place;      // FILE:LINE
  std::string node = {};  // where it fits; empty: nowhere
  Verdict verdict = Verdict::kFits;
  Hindrance hindrance = Hindrance::kDevices;  // if kRefused
  std::string reason = {};                    // why it does not fit; empty when it does
  std::string fix = {};                       // the remedy, if it is known
  std::vector<api::Object> claims = {};       // with their allocations, when it fits
  std::vector<FailureOnNodes> failures = {};  // the request that fails, by node
  std::string note = {};                      // additional information; or empty
  std::vector<NodeAnswer> nodes = {};         // with NodeAnswers::kEach
  std::vector<Move> moves = {};               // of Defragment, in this order
  /// "namespace/name" of less important pods that the scheduler evicts for it; they are gone.
  std::vector<std::string> evicts = {};
};

/// The most pods that one answer of Defragment moves, and the most answers that it tries.
inline constexpr size_t kMovesMax = 16;
inline constexpr size_t kMovesTriedMax = 32;

/// Why a pod or claim waits, in the current state; those that wait before it have taken nothing.
struct OfflineExplanation {
  std::string what;   // "pod default/trainer-0", "claim default/single-gpu"
  std::string place;  // FILE:LINE
  Verdict verdict = Verdict::kFits;
  Hindrance hindrance = Hindrance::kDevices;  // if kRefused
  std::string reason = {};                    // why it does not fit, in the scheduler's words
  std::string fix = {};                       // the remedy, if it is known
  std::string note = {};                      // additional information; or empty
  std::string state = {};                     // why it does not wait; empty: it waits
  /// "namespace/name" of less important pods that the scheduler would evict for it.
  std::vector<std::string> evicts = {};
  Explanation explanation = {};
};

class OfflineCluster {
 public:
  /// Pods and claims keep their order. `objects` have the taints of rules already.
  OfflineCluster(World& world, OfflineObjects objects, OfflineOptions options);

  /// Sets the use of a node whose pods are not among the objects.
  void SetUse(const scheduler::NodeState& node);

  /// Names of all nodes, sorted.
  std::vector<std::string> NodeNames() const;

  /// Sorts the pods as the scheduler takes them (PutInQueueOrder), with the priorities of their
  /// classes. Call before any decision. See queued_pods.cc.
  void OrderAsQueue(const std::set<std::string>& daemons, const std::set<std::string>& queued);

  /// Decides, in order, about every pod that is not bound, finished or being deleted, and then
  /// about every claim without devices that none of those pods uses. If the budget is cancelled,
  /// the current one is kUndecided, and those after it are left out.
  std::vector<OfflineAnswer> AllocateAll();

  /// The pods and claims that AllocateAll skips, and why: they have what they need, are done, or
  /// request nothing. Sorted.
  std::vector<LeftOut> NotDecided() const;

  /// The claims with what the decisions so far have given them and taken from them, by name.
  std::vector<Frozen<api::resource_v1::ResourceClaim>> ClaimsNow() const;

  /// Adds a pod and decides about it.
  OfflineAnswer AddPod(PlacedObject pod);

  /// Places a pod or claim that does not fit ("pod namespace/name", "claim …") by moving running
  /// pods: they leave, it takes its place, and the allocator finds a new place for each of them.
  /// Tries the most promising nodes, and the fewest pods on each; if one of these finds no place,
  /// it tries others. Pods of DaemonSets and static pods stay. Carries the moves out. Returns
  /// nothing if none of the attempts succeeds: at most kMovesTriedMax, of kMovesMax pods each.
  std::optional<OfflineAnswer> Defragment(const std::string& what);

  /// What AllocateAll decides about: "pod namespace/name", "claim namespace/name", in that order.
  std::vector<std::string> Waiting();
  /// Explains the pod or claim `what`; absent: there is none. Takes nothing. If the budget is
  /// cancelled meanwhile, the verdict is kUndecided and there is no explanation.
  std::optional<OfflineExplanation> Explain(const std::string& what);

 private:
  using Claims = std::vector<api::Object>;

  bool IsMeant(const api::Object& object) const;
  /// Why the pod does not wait for a decision; empty: it waits.
  std::string StateOfPod(const api::core_v1::Pod& pod) const;
  /// `stays`: uids of claims that must keep their devices.
  OfflineExplanation ExplainPod(const PlacedObject& placed, const std::set<std::string>& stays);
  /// The scheduler's decision about a pod without a group, and its objections to each candidate
  /// node, devices aside.
  struct Said {
    Verdict verdict = Verdict::kFits;
    Hindrance hindrance = Hindrance::kDevices;
    std::string reason;
    std::string note = {};                 // an action that the scheduler takes first; or empty
    std::vector<std::string> evicts = {};  // "namespace/name" of pods that it would evict
    std::vector<std::string> objections;
  };
  Said DecideAlone(const api::Object& pod, const Claims& claims) const;
  /// The same; decides only once about pods that are equal for the scheduler.
  Said DecideAlike(const api::Object& pod, const Claims& claims);
  /// LikenessOf the pod; also empty for a pod with a claim that an earlier attempt left over.
  std::string LikenessOf(const api::core_v1::Pod& pod, const Claims& claims) const;
  OfflineExplanation ExplainClaim(const std::string& key, const std::set<std::string>& stays);
  std::optional<OfflineExplanation> Explain(const std::string& what,
                                            const std::set<std::string>& stays);
  /// The first pod of that name. O(log), except for the first call.
  const PlacedObject* FindPod(std::string_view key) const;
  /// Keys of the claims to decide about that none of `of_pods` uses, in order. O(claims).
  std::vector<std::string> WaitingClaims(const std::set<std::string>& of_pods) const;

  // Moves: offline_moves.cc.
  class Undo;
  void DefragmentFor(OfflineAnswer& answer);
  /// Calls OfflineOptions::begins.
  void Begin(const std::string& what) const;
  /// Marks an answer as cancelled if the budget was cancelled meanwhile.
  void NoteCancelled(OfflineAnswer& answer) const;
  std::vector<std::string> AllocatedClaims() const;
  std::set<std::string> ClaimsThatStay() const;
  std::vector<const PlacedObject*> UsersOf(const std::set<std::string>& claims) const;
  void FollowChanges();
  /// Drops cached answers that a change of a pod or claim makes obsolete.
  void ForgetAfter(const api::Object* before, const api::Object* after);
  void Leave(const api::core_v1::Pod& pod);
  OfflineAnswer PlacePod(api::Object pod, const std::string& place);
  OfflineAnswer Place(const std::string& what);
  std::optional<OfflineAnswer> TryMoves(const std::string& what,
                                        const Suggestion& suggestion,
                                        std::set<std::string>& stays);
  void ExplainDevices(const WantedClaims& claims,
                      std::span<const CandidateNode> nodes,
                      std::set<std::string> own_claims,
                      OfflineExplanation& answer);
  /// The claims that have devices.
  const Holders& HoldersNow();
  std::string ForbiddenAdminAccess(const Claims& claims) const;
  /// The claim that the scheduler would make for extended resources that classes serve.
  Frozen<api::resource_v1::ResourceClaim> ClaimForResources(const api::core_v1::Pod& pod) const;
  std::string UnservedResource(const api::core_v1::Pod& pod) const;
  std::vector<CandidateNode> CandidatesWith(std::vector<std::string> objections) const;
  void PrepareClaims(api::Object& object);
  api::Object AsCreated(const api::Object& pod);
  const api::Object* FindClaim(std::string_view key) const { return cluster_.FindClaim(key); }

  OfflineAnswer AllocatePod(const api::Object& pod, const std::string& place);
  /// Caches that the pod fits on no node, for pods that are alike.
  void KeepFailed(const api::core_v1::Pod& pod, const Claims& claims, const std::string& reason);
  struct Refusal {
    Hindrance hindrance = Hindrance::kDevices;
    std::string reason = {};  // empty: there is none
    std::string fix = {};     // the remedy, if it is known
  };
  /// Why the pod is not created, or not tried.
  Refusal WhyNotLetIn(const api::Object& pod);
  /// Why no node is tried for the pod.
  Refusal RefusalOf(const api::core_v1::Pod& pod, const scheduler::Unschedulable& nowhere) const;

  // Groups of pods: offline_groups.cc.
  /// The scheduler's decision about a group. `why_not`: why it does not try the group, or empty.
  struct GroupDecision {
    std::string why_not;
    std::vector<scheduler::GroupMember> members;
    scheduler::GroupOutcome outcome;
    scheduler::GroupPreemption room = {};  // made by preemption if the group fits nowhere
  };
  bool IsOfGroup(const api::core_v1::Pod& pod) const;
  /// Cached until a pod is placed or leaves, because each member of the group asks.
  const GroupDecision& DecideGroup(const std::string& group_key);
  GroupDecision DecideGroupAnew(const std::string& group_key);
  std::set<std::string> MembersNotLetIn(const std::string& group_key);
  /// The same after preemption, like DecideWithRoom.
  GroupDecision DecideGroupWithRoom(const std::string& group_key,
                                    std::vector<std::string>& evicted);
  /// Decides about all members. Returns the answer for the pod and caches those for the others.
  OfflineAnswer AllocateMember(const api::Object& pod, const std::string& place);
  OfflineAnswer AnswerOf(const GroupDecision& decision, size_t member);
  /// Copies the pod's part of its group's decision into `answer`.
  void DecideInGroup(const api::core_v1::Pod& pod, OfflineExplanation& answer);
  OfflineAnswer AllocateClaim(const std::string& key);
  /// Where the claim was read; empty for a claim that was made here.
  std::string PlaceOf(const std::string& claim) const;
  NodeAnswer AnswerOf(const api::core_v1::Node& node,
                      const std::string& key,
                      const allocator::Attempt& attempt) const;
  /// The remedy for the first request that names a missing class or needs a disabled feature; or
  /// empty.
  std::string FixOf(const Claims& claims) const;
  /// The remedy for a pod that fits nowhere; a resource that no node or class has comes first.
  std::string FixOfUnfit(const api::core_v1::Pod& pod, const Claims& claims) const;
  /// The first missing claim or template that the pod names.
  struct Missing {
    std::string text;  // empty: there is none
    bool is_template = false;
  };
  Missing MissingClaimOf(const api::core_v1::Pod& pod) const;
  /// Why the pod cannot be decided about, and the remedy. `gated`: the scheduler's reason, which is
  /// to wait for a claim even if no controller can make it.
  Refusal RefusalOf(const api::core_v1::Pod& pod, const scheduler::Gated& gated) const;
  struct Decided {
    scheduler::Decision decision;
    bool gave_up = false;  // a search spent its budget
  };
  /// The scheduler's decision about the pod; `only`: on these nodes, null: on all.
  Decided Decide(const api::Object& pod,
                 const Claims& claims,
                 const scheduler::Domain* only,
                 PodSearches& searches) const;
  /// The same after the scheduler has made room, if that helps: it deallocates unused claims among
  /// `claims` and evicts less important pods. These are gone then, and named in `evicted`.
  Decided DecideWithRoom(api::Object pod,
                         Claims& claims,
                         PodSearches& searches,
                         std::vector<std::string>& evicted);
  /// Removes the victims and adds their names to `evicted`. False: none of them was there.
  bool Evict(std::span<const scheduler::PodOnNode> victims, std::vector<std::string>& evicted);
  scheduler::AttemptOptions OptionsFor(const scheduler::Domain* only) const;
  const scheduler::Domain* only() const { return only_.has_value() ? &*only_ : nullptr; }
  /// The candidate nodes, in name order.
  const std::vector<const scheduler::NodeState*>& LookedAt() const;
  scheduler::Domain DomainOf(const std::string& node) const;
  /// Per candidate node why it rejects the pod, devices aside; empty: it does not.
  std::vector<std::string> ObjectionsTo(const api::Object& pod, const Claims& claims) const;
  NodeAnswer AnswerOf(const scheduler::NodeState& node,
                      const std::string& objection,
                      const api::Object& pod,
                      const Claims& claims,
                      PodSearches& searches) const;
  void TakePlace(const scheduler::Placement& placement,
                 const api::Object& pod,
                 const Claims& claims,
                 OfflineAnswer& answer);
  /// The claim that the scheduler makes for the pod's extended resources.
  api::Object ExtendedClaim(const scheduler::ExtendedPlacement& extended,
                            const api::Object& pod) const;
  /// The pod's request that fails, on the nodes that fit devices aside.
  std::vector<FailureOnNodes> FailuresOf(const api::Object& pod, const Claims& claims) const;
  std::optional<FirstFailure> FailureOn(
      const api::core_v1::Node& node,
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims) const;
  /// The pod's claims without devices, with the one for extended resources.
  std::vector<Frozen<api::resource_v1::ResourceClaim>> WantedOf(const api::Object& pod,
                                                                const Claims& claims) const;

  /// The claim as the scheduler would write it: with the allocation, if it is new, and the pod's
  /// reservation.
  api::Object Allocated(const std::string& key,
                        const api::Object& pod,
                        const api::Maybe<api::resource_v1::AllocationResult>& result) const;

  World& world_;
  OfflineObjects objects_;  // as given; cluster_ has later changes
  OfflineOptions options_;
  std::map<std::string, std::vector<std::string>> generated_;  // claims by the uid of their pod
  // Mutable because a call of Devices() updates its snapshot.
  mutable scheduler::ClusterCache cluster_;
  std::optional<scheduler::Domain> only_;              // the candidate nodes; absent: all
  size_t first_node_ = 0;                              // for the next pod
  std::optional<Admission> admission_;                 // always set after construction
  std::map<std::string, std::string> refused_claims_;  // reason, by the uid of their pod
  std::map<std::string, OfflineAnswer> of_groups_;     // of members already decided, by uid
  Undo* undo_ = nullptr;                               // records changes while it is set
  // Caches, valid until a pod or claim is placed or leaves.
  std::map<std::string, GroupDecision> decided_groups_;  // by namespace/name
  std::unordered_map<std::string, Said> said_;           // by LikenessOf
  std::unordered_map<std::string, std::string> failed_;  // reason why they fit on no node of only_
  std::optional<Holders> holders_;
  ExplanationMemory explained_;
  /// Indexes into objects_.pods by namespace/name, up to the size at the last call.
  mutable std::map<std::string, size_t, std::less<>> pod_places_;
  mutable size_t pods_known_ = 0;
  Lazy<std::set<std::string>> list_attributes_;  // of devices
};

}  // namespace dray::planning::inline cluster
