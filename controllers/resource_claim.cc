// SPDX-License-Identifier: Apache-2.0
// Level triggered: keys of pods and claims go through one queue, and a key is handled by looking at
// what is there now, keys of groups too. Claims this controller made are assumed into its mirror,
// so a slow watch does not make it create them twice; that a pod is gone is only believed after a
// delete event or a live look, so a stale mirror never frees devices in use.
#include "controllers/resource_claim.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/generate_name.h"
#include "api/meta_v1/options.h"
#include "api/resource_v1/claim_template.h"
#include "api/scheduling_v1beta1.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/outcome.h"
#include "client/read_modify_write.h"
#include "controllers/key_loop.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using api::scheduling_v1beta1::PodGroup;
using api::scheduling_v1beta1::PodGroupResourceClaimStatus;
using resource_v1::ResourceClaim;

// Keys handled before the informers are polled again.
// Deleted pods remembered; for older ones the server is asked.
constexpr size_t kDeletedMax = 500;

constexpr const api::KindInfo& kPodKind = api::Reflected<core_v1::Pod>::kKind;
constexpr const api::KindInfo& kGroupKind = api::Reflected<PodGroup>::kKind;

/// What an entry of a pod or a group is called in events.
template <class Record>
constexpr const char* kEntryName = "PodResourceClaim";
template <>
constexpr const char* kEntryName<PodGroupResourceClaimStatus> = "PodGroupResourceClaim";

const std::string* TemplateOf(const core_v1::PodResourceClaim& entry) {
  return api::claims::TemplateNamedBy(entry);
}

const std::string* TemplateOf(const api::scheduling_v1beta1::PodGroupResourceClaim& entry) {
  return entry.resource_claim_template_name ? &*entry.resource_claim_template_name : nullptr;
}

/// Indexes what has entries with templates by "namespace/name" of these.
template <class T>
void TemplatesOf(const api::Object& object, std::vector<std::string>& values) {
  for (const auto& entry : object.As<T>().spec.resource_claims) {
    const std::string* name = TemplateOf(entry);
    if (name != nullptr) values.push_back(object.metadata().namespace_ + "/" + *name);
  }
}

/// The kind whose status has such records.
template <class Record>
using Recorded = std::
    conditional_t<std::is_same_v<Record, core_v1::PodResourceClaimStatus>, core_v1::Pod, PodGroup>;

/// The pod or group with `known` as what its status says about claims.
template <class Record>
api::Object WithRecords(const api::Object& object, std::vector<Record> known) {
  api::Object copy = object.Clone();
  copy.Mutable<Recorded<Record>>().status.resource_claim_statuses = std::move(known);
  return copy;
}

/// Puts the records into the order that readers are used to.
void Sort(std::vector<core_v1::PodResourceClaimStatus>& known) {
  std::ranges::sort(known, {}, &core_v1::PodResourceClaimStatus::name);
}
void Sort(std::vector<PodGroupResourceClaimStatus>& /*known*/) {}

}  // namespace

ResourceClaimController::ResourceClaimController(client::Client& client,
                                                 World& world,
                                                 client::SharedInformers& informers,
                                                 Log log,
                                                 Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(options),
      events_(client, world, "resource_claim", log_),
      keys_({.clock = world.clock,
             .log = log_,
             .failed = "a claim or its owner waits for now",
             .queue = options.queue}),
      rounds_(client),
      templates_(informers.Of(TemplateKind(options.classic))),
      claims_(informers.Of(ClaimKind(options.classic))),
      pods_(informers.Of(kPodKind)) {
  claims_by_owner_ = claims_.AddIndex([](const api::Object& claim, auto& values) {
    for (std::string uid : {OwnerPodUid(claim.metadata()), OwnerGroupUid(claim.metadata())}) {
      if (!uid.empty()) values.push_back(std::move(uid));
    }
  });
  pods_by_claim_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    values = api::claims::KeysOf(pod.As<core_v1::Pod>());
  });
  pods_by_template_ = pods_.AddIndex(TemplatesOf<core_v1::Pod>);
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  templates_.OnChange([this](auto*, auto* after) { OnTemplate(after); });
  if (options_.classic != ClassicClaims::kNone) {
    contexts_ = &informers.Of(api::Reflected<api::resource_v1alpha2::PodSchedulingContext>::kKind);
  }
  if (!options.group_claims) return;
  groups_ = &informers.Of(kGroupKind);
  groups_by_template_ = groups_->AddIndex(TemplatesOf<PodGroup>);
  groups_->OnChange([this](auto* before, auto* after) { OnGroup(before, after); });
  pods_by_group_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    if (std::string group = api::claims::PodGroupKeyOf(pod.As<core_v1::Pod>()); !group.empty()) {
      values.push_back(std::move(group));
    }
  });
}

void ResourceClaimController::CountIn(metrics::Registry& registry) {
  keys_.CountIn(registry, "resource_claim");
  metrics_.emplace(registry);
}

std::optional<MonotonicTime> ResourceClaimController::Step() {
  std::optional<MonotonicTime> next;
  bool synced = true;
  for (client::Informer* informer : {&templates_, &claims_, groups_, &pods_}) {
    if (informer == nullptr) continue;
    next = client::Earlier(next, informer->Step());
    synced = synced && informer->synced();
  }
  if (contexts_ != nullptr) {
    next = client::Earlier(next, contexts_->Step());
    synced = synced && contexts_->synced();
  }
  if (!synced) return next;
  if (keys_.MustStartOver()) EnqueueAll();
  HandleSome();
  const MonotonicTime now = world_.clock.Monotonic();
  next = client::Earlier(next, keys_.Next());
  if (next && *next <= now) return next;
  return events_.Send(kEventsPerStep) ? now : next;
}

// ------------------------------------------------------------------------------------------------
// Events to keys.

void ResourceClaimController::Enqueue(std::string_view type, std::string_view key) {
  keys_.Add(fmt::format("{}:{}", type, key));
}

void ResourceClaimController::EnqueueAll() {
  for (const auto& [key, pod] : pods_.objects()) OnPod(nullptr, &pod);
  for (const auto& [key, claim] : claims_.objects()) Enqueue("claim", key);
  if (groups_ == nullptr) return;
  for (const auto& [key, group] : groups_->objects()) Enqueue("podgroup", key);
}

void ResourceClaimController::OnPod(const api::Object* before, const api::Object* after) {
  const api::Object& object = after != nullptr ? *after : *before;
  const auto& pod = object.As<core_v1::Pod>();
  const auto& owned = claims_.Indexed(claims_by_owner_, pod.metadata.uid);
  if (pod.spec.resource_claims.empty() && owned.empty()) return;
  if (after == nullptr) RememberDeleted(pod.metadata.uid);
  if (after != nullptr && !IsDone(pod)) {
    if (!pod.metadata.deletion_timestamp) Enqueue("pod", api::ObjectKey(pod.metadata));
    return;
  }
  for (const std::string& claim : api::claims::KeysOf(pod)) Enqueue("claim", claim);
  for (const std::string& claim : owned) Enqueue("claim", claim);
}

void ResourceClaimController::OnClaim(const api::Object* before, const api::Object* after) {
  if (metrics_.has_value()) metrics_->CountChange(before, after);
  const std::string key = api::ObjectKey((after != nullptr ? after : before)->metadata());
  if (after != nullptr && !api::claims::IsUntouched(*after)) Enqueue("claim", key);
  for (const std::string& name : pods_.Indexed(pods_by_claim_, key)) {
    const auto& pod = pods_.Find(name)->As<core_v1::Pod>();
    // A claim that is gone may have to be made again; one that is there only concerns pods that the
    // scheduler does not look after any more. Pods that are done never get anything.
    const bool concerned = after == nullptr || !pod.spec.node_name.empty();
    if (concerned && !IsDone(pod)) Enqueue("pod", name);
  }
  if (after != nullptr || groups_ == nullptr) return;
  for (const auto& owner : before->metadata().owner_references) {
    if (owner.kind == kGroupKind.kind) {
      Enqueue("podgroup", fmt::format("{}/{}", before->metadata().namespace_, owner.name));
    }
  }
}

void ResourceClaimController::OnTemplate(const api::Object* after) {
  if (after == nullptr) return;
  const std::string key = api::ObjectKey(after->metadata());
  for (const std::string& pod : pods_.Indexed(pods_by_template_, key)) Enqueue("pod", pod);
  if (groups_ == nullptr) return;
  for (const std::string& group : groups_->Indexed(groups_by_template_, key)) {
    Enqueue("podgroup", group);
  }
}

/// Its pods wait for it, and then for the names of the claims it shares.
void ResourceClaimController::OnGroup(const api::Object* before, const api::Object* after) {
  const auto& group = (after != nullptr ? after : before)->As<PodGroup>();
  const std::string key = api::ObjectKey(group.metadata);
  if (after == nullptr) {
    RememberDeleted(group.metadata.uid);
    for (const std::string& claim : claims_.Indexed(claims_by_owner_, group.metadata.uid)) {
      Enqueue("claim", claim);
    }
    for (const auto& entry : group.spec.resource_claims) {
      if (!entry.resource_claim_name) continue;
      Enqueue("claim", group.metadata.namespace_ + "/" + *entry.resource_claim_name);
    }
    return;
  }
  if (!group.spec.resource_claims.empty()) Enqueue("podgroup", key);
  for (const std::string& name : pods_.Indexed(pods_by_group_, key)) {
    if (!IsDone(pods_.Find(name)->As<core_v1::Pod>())) Enqueue("pod", name);
  }
}

void ResourceClaimController::RememberDeleted(const std::string& uid) {
  if (!deleted_.insert(uid).second) return;
  deleted_order_.push_back(uid);
  if (deleted_order_.size() <= kDeletedMax) return;
  deleted_.erase(deleted_order_.front());
  deleted_order_.pop_front();
}

/// Each key once: one that is added meanwhile is handled when these are.
void ResourceClaimController::HandleSome() {
  for (const std::string& key : keys_.Take()) {
    Start(Handle(key), [this, key](const Result<>& done) { keys_.Finish(key, done); });
  }
  rounds_.RunAll();
}

Task<> ResourceClaimController::Handle(const std::string& key) {
  std::string name = key.substr(key.find(':') + 1);
  if (key.starts_with("pod:")) return SyncPod(std::move(name));
  if (key.starts_with("podgroup:")) return SyncGroup(std::move(name));
  return SyncClaim(std::move(name));
}

// ------------------------------------------------------------------------------------------------
// Pods and groups.

std::vector<const api::Object*> ResourceClaimController::ClaimsOf(
    const std::string& owner_uid) const {
  std::vector<const api::Object*> claims;
  for (const std::string& claim : claims_.Indexed(claims_by_owner_, owner_uid)) {
    claims.push_back(claims_.Find(claim));
  }
  return claims;
}

Task<> ResourceClaimController::SyncPod(std::string key) {
  const api::Object* found = pods_.Find(key);
  if (found == nullptr) co_return {};
  const api::Object object = *found;
  const auto& pod = object.As<core_v1::Pod>();
  const std::string group_key =
      groups_ != nullptr ? api::claims::PodGroupKeyOf(pod) : std::string();
  const api::Object* found_group = group_key.empty() ? nullptr : groups_->Find(group_key);
  if (!group_key.empty() && found_group == nullptr) co_return {};  // it waits for its group
  const api::Object group = found_group == nullptr ? api::Object() : *found_group;
  const auto make_plan = [&] {
    return PlanClaims(
        pod,
        ClaimsOf(pod.metadata.uid),
        [this](std::string_view claim) { return claims_.Find(claim); },
        group.empty() ? nullptr : &group.As<PodGroup>());
  };
  PodPlan plan = make_plan();
  const ClaimOwner owner = AsOwner(pod);
  DRAY_CO_TRY_VOID(co_await MakeKnown(&object, &owner, &plan.missing, std::move(plan.known)));
  for (const MissingReservation& missing : plan.to_reserve) {
    DRAY_CO_TRY_VOID(co_await Reserve(&missing));
  }
  if (!plan.waits_for_driver) co_return {};
  DRAY_CO_TRY_VOID(ReadClaimsAgain(pod));
  co_return make_plan().waits_for_driver ? SelectNodeForDrivers(pod) : Result<>();
}

/// The mirror of claims may be behind that of pods, and show a claim as it was before the scheduler
/// allocated it and bound the pod.
Result<> ResourceClaimController::ReadClaimsAgain(const core_v1::Pod& pod) {
  for (const std::string& key : api::claims::KeysOf(pod)) {
    const api::Object* known = claims_.Find(key);
    if (known == nullptr) continue;
    const Result<api::Object> newest = client_.Get(client::RefOf(*known));
    if (newest) {
      claims_.Assume(*newest);
    } else if (newest.error().reason != StatusReason::kNotFound) {
      return Fail(newest.error());
    }
  }
  return {};
}

/// Names the node of a pod that bypassed the scheduler to the drivers of its claims.
Result<> ResourceClaimController::SelectNodeForDrivers(const core_v1::Pod& pod) {
  if (contexts_ == nullptr) return {};
  const api::Object* known = contexts_->Find(api::ObjectKey(pod.metadata));
  if (known == nullptr) {
    DRAY_TRY(const api::Object created, client_.Create(MakeContext(pod)));
    contexts_->Assume(created);
    return {};
  }
  using Context = api::resource_v1alpha2::PodSchedulingContext;
  if (OwnerPodUid(known->metadata()) != pod.metadata.uid) return {};  // it goes with its pod
  if (known->As<Context>().spec.selected_node == pod.spec.node_name) return {};
  api::Object copy = known->Clone();
  copy.Mutable<Context>().spec.selected_node = pod.spec.node_name;
  DRAY_TRY(const api::Object written, client_.Update(copy));
  contexts_->Assume(written);
  return {};
}

Task<> ResourceClaimController::SyncGroup(std::string key) {
  const api::Object* found = groups_->Find(key);
  if (found == nullptr) co_return {};
  const api::Object object = *found;
  const auto& group = object.As<PodGroup>();
  GroupPlan plan = PlanGroupClaims(group,
                                   ClaimsOf(group.metadata.uid),
                                   [this](std::string_view claim) { return claims_.Find(claim); });
  const ClaimOwner owner = AsOwner(group);
  co_return co_await MakeKnown(&object, &owner, &plan.missing, std::move(plan.known));
}

template <class Record>
Task<> ResourceClaimController::MakeKnown(const api::Object* object,
                                          const ClaimOwner* owner,
                                          const std::vector<MissingClaim>* missing,
                                          std::vector<Record> known) {
  if (!missing->empty() && client_.takes_sequences()) {
    DRAY_CO_TRY(const bool is_made, co_await MakeAtOnce(object, owner, missing, known));
    if (is_made) co_return {};
  }
  DRAY_CO_TRY_VOID(co_await CreateClaims(object, owner, missing, &known));
  co_return co_await RecordClaims(object, std::move(known));
}

template <class Record>
Task<bool> ResourceClaimController::MakeAtOnce(const api::Object* object,
                                               const ClaimOwner* owner,
                                               const std::vector<MissingClaim>* missing,
                                               std::vector<Record> known) {
  std::vector<client::Write> writes;
  for (const MissingClaim& one : *missing) {
    Result<api::Object> claim = NewClaim(*owner, one);
    if (!claim) co_return false;
    // Its name is written below before the server can say it.
    api::NameIfAsked(claim->mutable_metadata(), world_.random);
    known.push_back({.name = one.entry, .resource_claim_name = claim->metadata().name});
    writes.push_back({.object = *std::move(claim)});
  }
  Sort(known);
  writes.push_back({.verb = client::Write::Verb::kUpdate,
                    .object = WithRecords(*object, std::move(known)),
                    .subresource = "status"});
  const Result<std::vector<api::Object>> written = co_await rounds_.InSequence(std::move(writes));
  if (!written) {
    // What may have been made is found before any is made anew.
    if (client::MayBeCarriedOut(written.error())) co_return Fail(written.error());
    co_return false;
  }
  for (const api::Object& claim : std::span(*written).first(missing->size())) {
    if (metrics_.has_value()) metrics_->CountCreation(claim, owner->kind, true);
    claims_.Assume(claim);
  }
  MirrorOf(*object).Assume(written->back());
  co_return true;
}

template <class Record>
Task<> ResourceClaimController::CreateClaims(const api::Object* object,
                                             const ClaimOwner* owner,
                                             const std::vector<MissingClaim>* missing,
                                             std::vector<Record>* known) {
  for (const MissingClaim& one : *missing) {
    Result<std::string> created = co_await CreateClaim(owner, &one);
    if (created) {
      known->push_back({.name = one.entry, .resource_claim_name = *std::move(created)});
      continue;
    }
    events_.Record(*object,
                   {.type = client::EventType::kWarning,
                    .reason = "FailedResourceClaimCreation",
                    .message = fmt::format(
                        "{} {}: {}", kEntryName<Record>, one.entry, created.error().message),
                    .action = {}});
    Error error = std::move(created).error();
    error.reason = StatusReason::kUnknown;  // also "not found" is tried again
    co_return Fail(std::move(error));
  }
  co_return {};
}

Result<api::Object> ResourceClaimController::NewClaim(const ClaimOwner& owner,
                                                      const MissingClaim& missing) const {
  const api::Object* found = templates_.Find(owner.namespace_ + "/" + missing.template_name);
  if (found == nullptr) {
    return Fail(StatusReason::kUnknown,
                fmt::format("resource claim template \"{}\": "
                            "resourceclaimtemplate.resource.k8s.io \"{}\" not found",
                            missing.template_name,
                            missing.template_name));
  }
  api::Object claim = MakeClaimOfEither(owner, missing.entry, *found);
  if (options_.classic != ClassicClaims::kNone) {
    claim.mutable_metadata().owner_references.front().block_owner_deletion = true;
  }
  return claim;
}

Task<std::string> ResourceClaimController::CreateClaim(const ClaimOwner* owner,
                                                       const MissingClaim* missing) {
  DRAY_CO_TRY(api::Object claim, NewClaim(*owner, *missing));
  const api::Object made = claim;
  Result<api::Object> created = co_await rounds_.Create(std::move(claim));
  if (metrics_.has_value()) metrics_->CountCreation(made, owner->kind, created.has_value());
  if (!created) {
    co_return Fail(created.error().reason, "create ResourceClaim : " + created.error().message);
  }
  claims_.Assume(*created);
  co_return created->metadata().name;
}

template <class Record>
Task<> ResourceClaimController::RecordClaims(const api::Object* object, std::vector<Record> known) {
  Sort(known);
  if (known.empty() || object->As<Recorded<Record>>().status.resource_claim_statuses == known) {
    co_return {};
  }
  const client::Edit edit = [&](api::Object& copy) -> Result<client::Change> {
    if (copy.metadata().uid != object->metadata().uid) return client::Change::kNothing;
    copy = WithRecords(copy, known);
    return client::Change::kWrite;
  };
  DRAY_CO_TRY(const api::Object written,
              co_await client::ReadModifyWrite(&rounds_, *object, "status", &edit));
  MirrorOf(*object).Assume(written);
  co_return {};
}

client::Informer& ResourceClaimController::MirrorOf(const api::Object& object) {
  return &object.kind() == &kPodKind ? pods_ : *groups_;
}

Task<> ResourceClaimController::Reserve(const MissingReservation* missing) {
  const api::Object* found = claims_.Find(missing->claim);
  if (found == nullptr) co_return {};
  const api::Object claim = *found;
  const bool may =
      api::claims::VisitClaim(claim, [](const auto& value) { return MayBeReserved(value); });
  if (!may) co_return {};  // an update of the claim brings us back
  api::Object copy = claim.Clone();
  api::claims::AddConsumer(copy, missing->consumer);
  DRAY_CO_TRY(const api::Object written, co_await rounds_.Update(std::move(copy), "status"));
  claims_.Assume(written);
  co_return {};
}

// ------------------------------------------------------------------------------------------------
// Claims.

Task<> ResourceClaimController::SyncClaim(std::string key) {
  const api::Object* found = claims_.Find(key);
  if (found == nullptr) co_return {};
  api::Object claim = *found;
  DRAY_CO_TRY(const std::set<std::string> alive, AliveConsumers(claim));
  DRAY_CO_TRY(const Owner owner, OwnerOf(claim.metadata()));
  const std::vector<ClaimAction> actions =
      api::claims::VisitClaim(claim, [&](const auto& one) { return Reconcile(one, alive, owner); });
  for (const ClaimAction& action : actions) {
    DRAY_CO_TRY(claim, co_await Perform(&claim, &action));
    const bool gone = claim.metadata().deletion_timestamp && claim.metadata().finalizers.empty();
    if (gone || std::holds_alternative<DeleteClaim>(action)) co_return {};
    claims_.Assume(claim);
  }
  co_return {};
}

Result<std::set<std::string>> ResourceClaimController::AliveConsumers(const api::Object& claim) {
  std::set<std::string> alive;
  for (const auto& consumer : api::claims::ConsumersOf(claim)) {
    DRAY_TRY(const bool is_alive, IsAlive(claim.metadata().namespace_, consumer));
    if (is_alive) alive.insert(consumer.uid);
  }
  return alive;
}

Result<bool> ResourceClaimController::IsAlive(
    const std::string& namespace_, const resource_v1::ResourceClaimConsumerReference& consumer) {
  switch (api::claims::KindOf(consumer)) {
    case api::claims::ConsumerKind::kPod: {
      DRAY_TRY(const std::optional<api::Object> pod,
               FindConsumer(pods_, {&kPodKind, namespace_, consumer.name}, consumer.uid));
      return pod && !IsDone(pod->As<core_v1::Pod>());
    }
    case api::claims::ConsumerKind::kPodGroup: {
      if (groups_ == nullptr) return true;
      DRAY_TRY(const std::optional<api::Object> group,
               FindConsumer(*groups_, {&kGroupKind, namespace_, consumer.name}, consumer.uid));
      return group.has_value();
    }
    case api::claims::ConsumerKind::kOther: break;
  }
  return true;  // not for us to judge
}

Result<std::optional<api::Object>> ResourceClaimController::FindConsumer(
    const client::Informer& mirror, const client::ObjectRef& ref, const std::string& uid) {
  if (deleted_.contains(uid)) return std::optional<api::Object>();
  if (const api::Object* known = mirror.Find(ref.namespace_ + "/" + ref.name)) {
    if (known->metadata().uid != uid) return std::optional<api::Object>();
    return std::optional<api::Object>(*known);
  }
  // The mirror may be behind: only the server knows that it is not there.
  Result<api::Object> live = client_.Get(ref);
  if (!live && !IsMissing(live.error())) return std::move(live).failure();
  if (!live || live->metadata().uid != uid) return std::optional<api::Object>();
  return std::optional<api::Object>(*std::move(live));
}

/// Claims of groups are left to the garbage collector: groups are not done before they are gone.
Result<Owner> ResourceClaimController::OwnerOf(const api::meta_v1::ObjectMeta& claim) {
  const std::string uid = OwnerPodUid(claim);
  if (uid.empty()) return Owner::kNone;
  const auto reference =
      std::ranges::find(claim.owner_references, uid, &api::meta_v1::OwnerReference::uid);
  DRAY_TRY(const std::optional<api::Object> pod,
           FindConsumer(pods_, {&kPodKind, claim.namespace_, reference->name}, uid));
  if (pod) return IsDone(pod->As<core_v1::Pod>()) ? Owner::kDone : Owner::kNeedsIt;
  // Other owners may be left; they keep the claim.
  return claim.owner_references.size() == 1 ? Owner::kGone : Owner::kNone;
}

Task<api::Object> ResourceClaimController::Perform(const api::Object* claim,
                                                   const ClaimAction* action) {
  api::Object copy = claim->Clone();
  if (const auto* write = std::get_if<WriteStatus>(action)) {
    copy.Mutable<ResourceClaim>().status = write->status;
    co_return co_await rounds_.Update(std::move(copy), "status");
  }
  if (const auto* write = std::get_if<WriteClassicStatus>(action)) {
    copy.Mutable<api::resource_v1alpha2::ResourceClaim>().status = write->status;
    co_return co_await rounds_.Update(std::move(copy), "status");
  }
  if (std::holds_alternative<RemoveFinalizer>(*action)) {
    std::erase(copy.mutable_metadata().finalizers, api::claims::FinalizerOf(*claim));
    co_return co_await rounds_.Update(std::move(copy), "");
  }
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = claim->metadata().uid};
  DRAY_CO_TRY_VOID(client_.Delete(client::RefOf(*claim), options));
  co_return *claim;
}

}  // namespace dray::controllers
