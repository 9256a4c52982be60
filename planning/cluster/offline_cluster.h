// SPDX-License-Identifier: Apache-2.0
// The scheduler's decision about the pods of a cluster made of manifests, and the allocator's about
// claims no pod uses: one after the other, each seeing what the ones before took.
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
#include "cel/selector_cache.h"
#include "dray/allocator.h"
#include "dray/budget.h"
#include "dray/features.h"
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
  std::string node = {};          // the only one to look at; empty: all
  std::string namespace_ = {};    // decide about its pods and claims only; empty: all
  allocator::Budget budget = {};  // of one search
  NodeAnswers answers = NodeAnswers::kFirstThatFits;
  /// Pods that ask devices for nothing are left out.
  bool devices_only = false;
  /// Decide about these only ("pod namespace/name", "claim …"); nothing: about all of them.
  std::optional<std::set<std::string>> only = {};
  /// Pods that AllocateAll decides about as well ("pod namespace/name"); nothing moves for them.
  std::set<std::string> queued = {};
  /// OfflineAnswer::failures are looked for; a search or more for each node.
  bool finds_failures = true;
  /// Called before AllocateAll decides about each of them.
  std::function<void(std::string_view what)> begins = {};
  /// Of equal nodes the first by name; or the next one after that of the pod before, as the
  /// scheduler has it.
  bool nodes_take_turns = false;
  bool defragments = false;  // AllocateAll moves pods for what does not fit
  /// Device classes serve extended resources (DRAExtendedResource).
  bool extended_resources = true;
  /// Devices may take resources of their nodes (DRANodeAllocatableResources).
  bool node_allocatable = false;
  /// Pods of a group are placed together (GenericWorkload), may share claims
  /// (DRAWorkloadResourceClaims), and may want to be near each other
  /// (TopologyAwareWorkloadScheduling).
  bool pod_groups = false;
  bool group_claims = false;
  bool group_topology = false;
  /// Compiled selectors to share; null: new ones.
  std::shared_ptr<cel::SelectorCache> selectors = nullptr;
  /// kLine: for whoever may read in the namespace; claims of others are not named.
  Detail detail = Detail::kFull;
};

enum class Verdict : uint8_t {
  kFits,
  kDoesNotFit,
  kRefused,    // it is not even tried: Hindrance says for which kind of reason
  kUndecided,  // the search ran out of budget
};

/// "fits", "doesNotFit", "refused", "undecided": for programs.
std::string_view VerdictName(Verdict verdict);

/// What one node has for a pod or a claim.
struct NodeAnswer {
  std::string node;
  Verdict verdict = Verdict::kFits;
  std::string reason = {};               // why it does not fit; empty when it does
  std::vector<api::Object> claims = {};  // with their allocations, when it fits
  std::optional<FirstFailure> failure = {};
};

/// A pod that runs and would go elsewhere.
struct Move {
  std::string pod;                       // namespace/name
  std::string from, to;                  // nodes; they may be the same
  std::vector<api::Object> claims = {};  // with what they have then
};

/// What came of one pod, or of one claim no pod uses.
struct OfflineAnswer {
  std::string what;       // "pod default/trainer-0", "claim default/single-gpu"
  std::string place;      // FILE:LINE
  std::string node = {};  // where it fits; empty when nowhere
  Verdict verdict = Verdict::kFits;
  Hindrance hindrance = Hindrance::kDevices;  // of kRefused
  std::string reason = {};                    // why it does not; empty when it does
  std::string fix = {};                       // what to do about it, where that is known
  std::vector<api::Object> claims = {};       // with their allocations, when it fits
  std::vector<FailureOnNodes> failures = {};  // which request stands in the way where
  std::string note = {};                      // what else there is to know; or empty
  std::vector<NodeAnswer> nodes = {};         // with NodeAnswers::kEach
  std::vector<Move> moves = {};               // of Defragment, in this order
  /// "namespace/name" of less important pods that the scheduler makes go for it; they are gone.
  std::vector<std::string> evicts = {};
};

/// Pods that one of Defragment's answers moves at most, and answers that it tries.
inline constexpr size_t kMovesMax = 16;
inline constexpr size_t kMovesTriedMax = 32;

/// Why a pod or claim waits, as things are now: what waits before it has taken nothing.
struct OfflineExplanation {
  std::string what;   // "pod default/trainer-0", "claim default/single-gpu"
  std::string place;  // FILE:LINE
  Verdict verdict = Verdict::kFits;
  Hindrance hindrance = Hindrance::kDevices;  // of kRefused
  std::string reason = {};                    // why it does not fit, in the scheduler's words
  std::string fix = {};                       // what to do about it, where that is known
  std::string note = {};                      // what else there is to know; or empty
  std::string state = {};  // what there is to say of one that does not wait; else empty
  /// "namespace/name" of less important pods that the scheduler would evict for it.
  std::vector<std::string> evicts = {};
  Explanation explanation = {};
};

class OfflineCluster {
 public:
  /// Pods and claims keep their order; taint rules are not applied here.
  OfflineCluster(World& world, OfflineObjects objects, OfflineOptions options);

  /// What pods use of a node whose pods are not among the objects.
  void SetUse(const scheduler::NodeState& node);

  /// Names of all nodes, sorted.
  std::vector<std::string> NodeNames() const;

  /// Puts the pods into the order in which the scheduler takes them (PutInQueueOrder), with the
  /// priorities that their classes give them. Before anything is decided: queued_pods.cc.
  void OrderAsQueue(const std::set<std::string>& daemons, const std::set<std::string>& queued);

  /// Decides for every pod in order that is not bound, finished or being deleted, and then for
  /// every claim that is still without devices and that none of those pods uses. When the budget is
  /// cancelled the one in question is kUndecided, and those after it are not asked about.
  std::vector<OfflineAnswer> AllocateAll();

  /// The pods and claims meant about which nobody decides, and why: those that have what they want,
  /// are done, or want nothing. Sorted.
  std::vector<LeftOut> NotDecided() const;

  /// Adds a pod and decides about it.
  OfflineAnswer AddPod(PlacedObject pod);

  /// How a pod or claim that does not fit ("pod namespace/name", "claim …") would, if pods that run
  /// went elsewhere: they leave, it takes its place, and then each of them finds one, all by the
  /// allocator. Of the most promising nodes the fewest pods are tried, and others where one of
  /// these finds none; pods of DaemonSets and of nodes themselves stay. The moves are made. Nothing
  /// when there are none among those tried: kMovesTriedMax, each of kMovesMax pods.
  std::optional<OfflineAnswer> Defragment(const std::string& what);

  /// What AllocateAll decides about: "pod namespace/name", "claim namespace/name", in that order.
  std::vector<std::string> Waiting();
  /// Of a pod or claim so named; nothing when it is not there. Nothing is taken. When the budget is
  /// cancelled meanwhile it is kUndecided, and nothing is explained.
  std::optional<OfflineExplanation> Explain(const std::string& what);

 private:
  using Claims = std::vector<api::Object>;

  bool IsMeant(const api::Object& object) const;
  /// Why nobody decides about the pod; empty: it waits.
  std::string StateOfPod(const api::core_v1::Pod& pod) const;
  /// `stays`: uids of claims that are not to be given back.
  OfflineExplanation ExplainPod(const PlacedObject& placed, const std::set<std::string>& stays);
  /// What the scheduler would say of a pod that belongs to no group, and has against each node that
  /// is looked at, devices aside.
  struct Said {
    Verdict verdict = Verdict::kFits;
    Hindrance hindrance = Hindrance::kDevices;
    std::string reason;
    std::string note = {};                 // what else the scheduler does first; or empty
    std::vector<std::string> evicts = {};  // "namespace/name" of pods that it would evict
    std::vector<std::string> objections;
  };
  Said DecideAlone(const api::Object& pod, const Claims& claims) const;
  /// The same; of pods that the scheduler cannot tell apart, only the first is decided about.
  Said DecideAlike(const api::Object& pod, const Claims& claims);
  /// LikenessOf the pod; empty too of a pod that an earlier attempt left a claim to.
  std::string LikenessOf(const api::core_v1::Pod& pod, const Claims& claims) const;
  OfflineExplanation ExplainClaim(const std::string& key, const std::set<std::string>& stays);
  std::optional<OfflineExplanation> Explain(const std::string& what,
                                            const std::set<std::string>& stays);
  /// The first of that name. O(log) but for the first time.
  const PlacedObject* FindPod(std::string_view key) const;
  /// Keys of the claims to decide about that none of the pods uses, in order. O(claims).
  std::vector<std::string> WaitingClaims(const std::set<std::string>& of_pods) const;

  // Moves: offline_moves.cc.
  class Undo;
  void DefragmentFor(OfflineAnswer& answer);
  /// Tells OfflineOptions::begins.
  void Begin(const std::string& what) const;
  /// Makes an answer that was given while the budget was cancelled say so.
  void NoteCancelled(OfflineAnswer& answer) const;
  std::vector<std::string> AllocatedClaims() const;
  std::set<std::string> ClaimsThatStay() const;
  std::vector<const PlacedObject*> UsersOf(const std::set<std::string>& claims) const;
  void FollowChanges();
  /// Forgets what holds no longer after the change of a pod or claim.
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
  /// For extended resources that classes serve, the claim that the scheduler would make.
  Frozen<api::resource_v1::ResourceClaim> ClaimForResources(const api::core_v1::Pod& pod) const;
  std::string UnservedResource(const api::core_v1::Pod& pod) const;
  std::vector<CandidateNode> CandidatesWith(std::vector<std::string> objections) const;
  void PrepareClaims(api::Object& object);
  api::Object AsCreated(const api::Object& pod);
  const api::Object* FindClaim(std::string_view key) const { return cluster_.FindClaim(key); }

  OfflineAnswer AllocatePod(const api::Object& pod, const std::string& place);
  /// Keeps that no node does for the pod, for pods that are alike.
  void KeepFailed(const api::core_v1::Pod& pod, const Claims& claims, const std::string& reason);
  struct Refusal {
    Hindrance hindrance = Hindrance::kDevices;
    std::string reason = {};  // empty: there is none
    std::string fix = {};     // what to do about it, where that is known
  };
  /// Why the pod is not there to be scheduled, or not tried.
  Refusal WhyNotLetIn(const api::Object& pod);
  /// Why no node is looked at for it.
  Refusal RefusalOf(const api::core_v1::Pod& pod, const scheduler::Unschedulable& nowhere) const;

  // Groups of pods: offline_groups.cc.
  /// What the scheduler would do with a group; `why_not`: why it does not even try, or empty.
  struct GroupDecision {
    std::string why_not;
    std::vector<scheduler::GroupMember> members;
    scheduler::GroupOutcome outcome;
    scheduler::GroupPreemption room = {};  // that the scheduler would make where it fits nowhere
  };
  bool IsOfGroup(const api::core_v1::Pod& pod) const;
  /// Kept until something is placed or leaves: its members ask one after the other.
  const GroupDecision& DecideGroup(const std::string& group_key);
  GroupDecision DecideGroupAnew(const std::string& group_key);
  std::set<std::string> MembersNotLetIn(const std::string& group_key);
  /// The same once less important pods have made room for it, as DecideWithRoom.
  GroupDecision DecideGroupWithRoom(const std::string& group_key,
                                    std::vector<std::string>& evicted);
  /// Decides about all members; the answer is that of the pod, the others' are kept for them.
  OfflineAnswer AllocateMember(const api::Object& pod, const std::string& place);
  OfflineAnswer AnswerOf(const GroupDecision& decision, size_t member);
  /// What becomes of the pod by its group's decision.
  void DecideInGroup(const api::core_v1::Pod& pod, OfflineExplanation& answer);
  OfflineAnswer AllocateClaim(const std::string& key);
  /// Where the claim was read; empty of one that was made here.
  std::string PlaceOf(const std::string& claim) const;
  NodeAnswer AnswerOf(const api::core_v1::Node& node,
                      const std::string& key,
                      const allocator::Attempt& attempt) const;
  /// What to do about the first request that names a class which is not there, or needs a feature
  /// that is off; or nothing.
  std::string FixOf(const Claims& claims) const;
  /// The same of a pod that fits nowhere: first about a resource that is nowhere.
  std::string FixOfUnfit(const api::core_v1::Pod& pod, const Claims& claims) const;
  /// The first claim or template that the pod names and that is not there.
  struct Missing {
    std::string text;  // empty: there is none
    bool is_template = false;
  };
  Missing MissingClaimOf(const api::core_v1::Pod& pod) const;
  /// Why the pod cannot even be decided about, and what to do about it. `gated`: in the scheduler's
  /// words, which wait for a claim even where nobody can make it.
  Refusal RefusalOf(const api::core_v1::Pod& pod, const scheduler::Gated& gated) const;
  struct Decided {
    scheduler::Decision decision;
    bool gave_up = false;  // a search ran out of budget
  };
  /// What the scheduler would do with the pod; `only`: on these nodes, null: on any.
  Decided Decide(const api::Object& pod,
                 const Claims& claims,
                 const scheduler::Domain* only,
                 PodSearches& searches) const;
  /// The same once the scheduler has given up what is in its way, if that helps: allocations of
  /// `claims` that nobody uses, and less important pods. These are gone then, and named in
  /// `evicted`.
  Decided DecideWithRoom(api::Object pod,
                         Claims& claims,
                         PodSearches& searches,
                         std::vector<std::string>& evicted);
  /// The victims leave; they are named in `evicted`. False: none of them was there.
  bool Evict(std::span<const scheduler::PodOnNode> victims, std::vector<std::string>& evicted);
  scheduler::AttemptOptions OptionsFor(const scheduler::Domain* only) const;
  const scheduler::Domain* only() const { return only_.has_value() ? &*only_ : nullptr; }
  /// In name order.
  const std::vector<const scheduler::NodeState*>& LookedAt() const;
  scheduler::Domain DomainOf(const std::string& node) const;
  /// Per node that is looked at; empty: it would take the pod, devices aside.
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
  /// The claim that is made for the pod's extended resources.
  api::Object ExtendedClaim(const scheduler::ExtendedPlacement& extended,
                            const api::Object& pod) const;
  /// Which request of the pod stands in the way, on the nodes that would take the pod.
  std::vector<FailureOnNodes> FailuresOf(const api::Object& pod, const Claims& claims) const;
  std::optional<FirstFailure> FailureOn(
      const api::core_v1::Node& node,
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims) const;
  /// The claims that have no devices yet, with the one for extended resources.
  std::vector<Frozen<api::resource_v1::ResourceClaim>> WantedOf(const api::Object& pod,
                                                                const Claims& claims) const;

  /// The claim as the scheduler would write it: the allocation, if it is new, and the pod's
  /// reservation.
  api::Object Allocated(const std::string& key,
                        const api::Object& pod,
                        const std::optional<api::resource_v1::AllocationResult>& result) const;

  World& world_;
  OfflineObjects objects_;  // as given; what has changed since is in cluster_
  OfflineOptions options_;
  std::map<std::string, std::vector<std::string>> generated_;  // claims by the uid of their pod
  // Mutable: the devices in it are brought up to date when they are asked for.
  mutable scheduler::ClusterCache cluster_;
  std::optional<scheduler::Domain> only_;              // the nodes to look at; absent: all
  size_t first_node_ = 0;                              // for the next pod
  std::optional<Admission> admission_;                 // what quotas let in; set at once
  std::map<std::string, std::string> refused_claims_;  // why, by the uid of their pod
  std::map<std::string, OfflineAnswer> of_groups_;     // of members decided about, by uid
  Undo* undo_ = nullptr;                               // which is told of what changes
  // Answers that hold until something is placed or leaves.
  std::map<std::string, GroupDecision> decided_groups_;  // by namespace/name
  std::unordered_map<std::string, Said> said_;           // by LikenessOf
  std::unordered_map<std::string, std::string> failed_;  // why they fit on no node of only_
  std::optional<Holders> holders_;
  ExplanationMemory explained_;
  /// Places in objects_.pods by namespace/name: of as many of them as there were when last asked.
  mutable std::map<std::string, size_t, std::less<>> pod_places_;
  mutable size_t pods_known_ = 0;
  Lazy<std::set<std::string>> list_attributes_;  // of devices
};

}  // namespace dray::planning::inline cluster
