// SPDX-License-Identifier: Apache-2.0
// Level triggered: keys of pods and claims go through one queue, and a key is handled by looking at
// what is there now. Claims this controller made are assumed into its mirror, so a slow watch does
// not make it create them twice; that a pod is gone is only believed after a delete event or a live
// look, so a stale mirror never frees devices in use.
#include "controllers/resource_claim.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/meta_v1/options.h"
#include "api/resource_v1/claim_template.h"
#include "client/loop.h"
#include "client/read_modify_write.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;

// Keys handled before the informers are looked at again.
constexpr size_t kKeysPerStep = 32;
constexpr size_t kEventsPerStep = 16;
// Deleted pods remembered; for older ones the server is asked.
constexpr size_t kDeletedMax = 500;
// The limit of status.reservedFor in the API. A server with a higher one only sees us wait longer.
constexpr size_t kConsumersMax = 256;

constexpr const api::KindInfo& kPodKind = api::Reflected<core_v1::Pod>::kKind;

bool IsMissing(const Error& error) {
  return error.reason == StatusReason::kNotFound;
}

}  // namespace

ResourceClaimController::ResourceClaimController(
    client::Client& client, World& world, Wakeup& wakeup, Log log, Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      events_(client, world, "resource_claim", log_),
      queue_(options.queue),
      templates_(client,
                 api::Reflected<resource_v1::ResourceClaimTemplate>::kKind,
                 world.clock,
                 wakeup,
                 log_),
      claims_(client, api::Reflected<ResourceClaim>::kKind, world.clock, wakeup, log_),
      pods_(client, kPodKind, world.clock, wakeup, log_) {
  claims_by_owner_ = claims_.AddIndex([](const api::Object& claim, auto& values) {
    if (std::string uid = OwnerPodUid(claim.metadata()); !uid.empty()) {
      values.push_back(std::move(uid));
    }
  });
  pods_by_claim_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    values = api::claims::KeysOf(pod.As<core_v1::Pod>());
  });
  pods_by_template_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    for (const auto& entry : pod.As<core_v1::Pod>().spec.resource_claims) {
      if (!entry.resource_claim_template_name) continue;
      values.push_back(pod.metadata().namespace_ + "/" + *entry.resource_claim_template_name);
    }
  });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  templates_.OnChange([this](auto*, auto* after) { OnTemplate(after); });
}

std::optional<MonotonicTime> ResourceClaimController::Step() {
  std::optional<MonotonicTime> next;
  bool synced = true;
  for (client::Informer* informer : {&templates_, &claims_, &pods_}) {
    next = client::Earlier(next, informer->Step());
    synced = synced && informer->synced();
  }
  if (!synced) return next;
  if (queue_overflowed_ && queue_.size() == 0) EnqueueAll();
  for (size_t i = 0; i < kKeysPerStep; ++i) {
    const MonotonicTime now = world_.clock.Monotonic();
    const std::optional<std::string> key = queue_.Pop(now);
    if (!key) break;
    Handle(*key, now);
  }
  const MonotonicTime now = world_.clock.Monotonic();
  next = client::Earlier(next, queue_.Next(now));
  if (next && *next <= now) return next;
  return events_.Send(kEventsPerStep) ? now : next;
}

// ------------------------------------------------------------------------------------------------
// Events to keys.

void ResourceClaimController::Enqueue(std::string_view type, std::string_view key) {
  if (!queue_.Add(fmt::format("{}:{}", type, key))) queue_overflowed_ = true;
}

void ResourceClaimController::EnqueueAll() {
  queue_overflowed_ = false;
  for (const auto& [key, pod] : pods_.objects()) OnPod(nullptr, &pod);
  for (const auto& [key, claim] : claims_.objects()) Enqueue("claim", key);
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
  const std::string key = api::ObjectKey((after != nullptr ? after : before)->metadata());
  if (after != nullptr) Enqueue("claim", key);
  for (const std::string& name : pods_.Indexed(pods_by_claim_, key)) {
    const auto& pod = pods_.Find(name)->As<core_v1::Pod>();
    // A claim that is gone may have to be made again; one that is there only concerns pods that the
    // scheduler does not look after any more. Pods that are done never get anything.
    const bool concerned = after == nullptr || !pod.spec.node_name.empty();
    if (concerned && !IsDone(pod)) Enqueue("pod", name);
  }
}

void ResourceClaimController::OnTemplate(const api::Object* after) {
  if (after == nullptr) return;
  const std::string key = api::ObjectKey(after->metadata());
  for (const std::string& pod : pods_.Indexed(pods_by_template_, key)) Enqueue("pod", pod);
}

void ResourceClaimController::RememberDeleted(const std::string& uid) {
  if (!deleted_.insert(uid).second) return;
  deleted_order_.push_back(uid);
  if (deleted_order_.size() <= kDeletedMax) return;
  deleted_.erase(deleted_order_.front());
  deleted_order_.pop_front();
}

void ResourceClaimController::Handle(const std::string& key, MonotonicTime now) {
  const std::string_view name = std::string_view(key).substr(key.find(':') + 1);
  const Result<> done = key.starts_with("pod:") ? SyncPod(name) : SyncClaim(name);
  if (done || IsMissing(done.error())) return queue_.Forget(key);
  log_.Debug("trying again later", "key", key, "error", done.error().message);
  if (!queue_.AddRateLimited(key, now)) queue_overflowed_ = true;
}

// ------------------------------------------------------------------------------------------------
// Pods.

Result<> ResourceClaimController::SyncPod(std::string_view key) {
  const api::Object* found = pods_.Find(key);
  if (found == nullptr) return {};
  const api::Object pod = *found;
  std::vector<const api::Object*> owned;
  for (const std::string& claim : claims_.Indexed(claims_by_owner_, pod.metadata().uid)) {
    owned.push_back(claims_.Find(claim));
  }
  const PodPlan plan = PlanClaims(pod.As<core_v1::Pod>(), owned, [this](std::string_view claim) {
    return claims_.Find(claim);
  });
  DRAY_TRY_VOID(CreateClaims(pod, plan));
  for (const std::string& claim : plan.to_reserve) {
    DRAY_TRY_VOID(ReserveFor(pod.As<core_v1::Pod>(), claim));
  }
  return {};
}

Result<> ResourceClaimController::CreateClaims(const api::Object& pod, const PodPlan& plan) {
  std::vector<core_v1::PodResourceClaimStatus> known = plan.known;
  for (const MissingClaim& missing : plan.missing) {
    Result<> created = CreateClaim(pod, missing, known);
    if (created) continue;
    events_.Record(
        pod,
        {.type = client::EventType::kWarning,
         .reason = "FailedResourceClaimCreation",
         .message = fmt::format("PodResourceClaim {}: {}", missing.entry, created.error().message),
         .action = {}});
    Error error = std::move(created).error();
    error.reason = StatusReason::kUnknown;  // also "not found" is tried again
    return Fail(std::move(error));
  }
  return RecordClaims(pod, std::move(known));
}

Result<> ResourceClaimController::CreateClaim(const api::Object& pod,
                                              const MissingClaim& missing,
                                              std::vector<core_v1::PodResourceClaimStatus>& known) {
  const api::Object* found =
      templates_.Find(pod.metadata().namespace_ + "/" + missing.template_name);
  if (found == nullptr) {
    return Fail(StatusReason::kUnknown,
                fmt::format("resource claim template \"{}\": "
                            "resourceclaimtemplate.resource.k8s.io \"{}\" not found",
                            missing.template_name,
                            missing.template_name));
  }
  Result<api::Object> created = client_.Create(MakeClaim(
      pod.As<core_v1::Pod>(), missing.entry, found->As<resource_v1::ResourceClaimTemplate>()));
  if (!created) {
    return Fail(created.error().reason, "create ResourceClaim : " + created.error().message);
  }
  claims_.Assume(*created);
  known.push_back({.name = missing.entry, .resource_claim_name = created->metadata().name});
  return {};
}

Result<> ResourceClaimController::RecordClaims(const api::Object& pod,
                                               std::vector<core_v1::PodResourceClaimStatus> known) {
  std::ranges::sort(known, {}, &core_v1::PodResourceClaimStatus::name);
  if (known.empty() || pod.As<core_v1::Pod>().status.resource_claim_statuses == known) return {};
  DRAY_TRY(const api::Object written,
           client::ReadModifyWrite(
               client_, pod, "status", [&](api::Object& copy) -> Result<client::Change> {
                 copy.Mutable<core_v1::Pod>().status.resource_claim_statuses = known;
                 return client::Change::kWrite;
               }));
  pods_.Assume(written);
  return {};
}

Result<> ResourceClaimController::ReserveFor(const core_v1::Pod& pod,
                                             const std::string& claim_key) {
  const api::Object* found = claims_.Find(claim_key);
  if (found == nullptr) return {};
  const api::Object claim = *found;
  api::Object copy = claim.Clone();
  auto& reserved_for = copy.Mutable<ResourceClaim>().status.reserved_for;
  if (reserved_for.size() >= kConsumersMax) return {};  // an update of the claim brings us back
  reserved_for.push_back(
      {.api_group = {}, .resource = "pods", .name = pod.metadata.name, .uid = pod.metadata.uid});
  DRAY_TRY(const api::Object written, client_.Update(copy, "status"));
  claims_.Assume(written);
  return {};
}

// ------------------------------------------------------------------------------------------------
// Claims.

Result<> ResourceClaimController::SyncClaim(std::string_view key) {
  const api::Object* found = claims_.Find(key);
  if (found == nullptr) return {};
  api::Object claim = *found;
  DRAY_TRY(const std::set<std::string> alive, AliveConsumers(claim.As<ResourceClaim>()));
  DRAY_TRY(const Owner owner, OwnerOf(claim.As<ResourceClaim>()));
  for (const ClaimAction& action : Reconcile(claim.As<ResourceClaim>(), alive, owner)) {
    DRAY_TRY(claim, Perform(claim, action));
    const bool gone = claim.metadata().deletion_timestamp && claim.metadata().finalizers.empty();
    if (gone || std::holds_alternative<DeleteClaim>(action)) return {};
    claims_.Assume(claim);
  }
  return {};
}

Result<std::set<std::string>> ResourceClaimController::AliveConsumers(const ResourceClaim& claim) {
  std::set<std::string> alive;
  for (const auto& consumer : claim.status.reserved_for) {
    if (consumer.resource != "pods" || !consumer.api_group.empty()) continue;
    DRAY_TRY(const std::optional<api::Object> pod,
             FindPod(claim.metadata.namespace_, consumer.name, consumer.uid));
    if (pod && !IsDone(pod->As<core_v1::Pod>())) alive.insert(consumer.uid);
  }
  return alive;
}

Result<std::optional<api::Object>> ResourceClaimController::FindPod(const std::string& namespace_,
                                                                    const std::string& name,
                                                                    const std::string& uid) {
  if (deleted_.contains(uid)) return std::optional<api::Object>();
  if (const api::Object* pod = pods_.Find(namespace_ + "/" + name)) {
    if (pod->metadata().uid != uid) return std::optional<api::Object>();
    return std::optional<api::Object>(*pod);
  }
  // The mirror may be behind: only the server knows that a pod is not there.
  Result<api::Object> live =
      client_.Get({.kind = &kPodKind, .namespace_ = namespace_, .name = name});
  if (!live && !IsMissing(live.error())) return Fail(std::move(live).error());
  if (!live || live->metadata().uid != uid) return std::optional<api::Object>();
  return std::optional<api::Object>(*std::move(live));
}

Result<Owner> ResourceClaimController::OwnerOf(const ResourceClaim& claim) {
  const std::string uid = OwnerPodUid(claim.metadata);
  if (uid.empty()) return Owner::kNone;
  const auto reference =
      std::ranges::find(claim.metadata.owner_references, uid, &api::meta_v1::OwnerReference::uid);
  DRAY_TRY(const std::optional<api::Object> pod,
           FindPod(claim.metadata.namespace_, reference->name, uid));
  if (pod) return IsDone(pod->As<core_v1::Pod>()) ? Owner::kDone : Owner::kNeedsIt;
  // Other owners may be left; they keep the claim.
  return claim.metadata.owner_references.size() == 1 ? Owner::kGone : Owner::kNone;
}

Result<api::Object> ResourceClaimController::Perform(const api::Object& claim,
                                                     const ClaimAction& action) {
  api::Object copy = claim.Clone();
  if (const auto* write = std::get_if<WriteStatus>(&action)) {
    copy.Mutable<ResourceClaim>().status = write->status;
    return client_.Update(copy, "status");
  }
  if (std::holds_alternative<RemoveFinalizer>(action)) {
    std::erase(copy.mutable_metadata().finalizers, api::claims::kFinalizer);
    return client_.Update(copy);
  }
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = claim.metadata().uid};
  DRAY_TRY_VOID(client_.Delete(client::RefOf(claim), options));
  return claim;
}

}  // namespace dray::controllers
