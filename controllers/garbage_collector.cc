// SPDX-License-Identifier: Apache-2.0
// Level triggered: a key (mirror and name) is handled by looking at what is there now. That an
// owner is gone is only believed after a live look, so a mirror that is behind deletes nothing.
#include "controllers/garbage_collector.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "api/custom_kind.h"
#include "api/meta_v1/options.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/key_loop.h"

namespace dray::controllers {
namespace {

using api::meta_v1::ObjectMeta;
using api::meta_v1::OwnerReference;

// Objects handled before the informers are polled again.

bool IsFollowed(const api::KindInfo& kind) {
  return kind.served && !kind.create_only && kind.metadata != nullptr && kind.kind != "Event";
}

bool HasOwners(const api::Object* object) {
  return object != nullptr && !object->metadata().owner_references.empty();
}

bool NeedsLook(const api::Object* before, const ObjectMeta& after) {
  if (AwaitsCollector(after)) return true;
  if (after.owner_references.empty()) return false;
  return before == nullptr || before->metadata().owner_references != after.owner_references;
}

std::string KeyIn(size_t mirror, const ObjectMeta& object) {
  return fmt::format("{}:{}", mirror, api::ObjectKey(object));
}

}  // namespace

GarbageCollector::GarbageCollector(client::Client& client,
                                   World& world,
                                   client::SharedInformers& informers,
                                   Log log,
                                   const api::LiveScheme& scheme)

    : client_(client),
      scheme_(scheme),
      informers_(informers),
      keys_({.clock = world.clock, .log = std::move(log), .failed = "an object stays for now"}) {
  FollowKinds();
}

// Kinds that come later are mirrored from then on. One that goes has no objects, and may come
// again.
void GarbageCollector::FollowKinds() {
  Frozen<api::Scheme> now = scheme_.Now();
  if (now == followed_) return;
  followed_ = std::move(now);
  for (const api::KindInfo* kind : followed_->kinds()) {
    // Versions of one hub show the same objects.
    if (!IsFollowed(*kind) || !hubs_.insert(&kind->storage()).second) continue;
    // The form that the other controllers read, where it is served.
    const bool has_hub = std::ranges::count(followed_->kinds(), &kind->storage()) > 0;
    FollowKind(has_hub && IsFollowed(kind->storage()) ? kind->storage() : *kind);
  }
}

void GarbageCollector::FollowKind(const api::KindInfo& kind) {
  const size_t index = mirrors_.size();
  if (api::IsCustom(kind)) {
    std::unique_ptr<client::Informer> own = informers_.MakeOwn(kind);
    mirrors_.push_back({.kind = &kind, .objects = own.get(), .own = std::move(own)});
  } else {
    mirrors_.push_back({.kind = &kind, .objects = &informers_.MetadataOf(kind)});
  }
  mirrors_[index].objects->OnChange(
      [this, index](auto* before, auto* after) { OnChange(index, before, after); });
}

bool GarbageCollector::synced() const {
  return std::ranges::all_of(mirrors_,
                             [](const Mirror& mirror) { return mirror.objects->synced(); });
}

std::optional<MonotonicTime> GarbageCollector::Follow() {
  std::optional<MonotonicTime> next;
  for (const Mirror& mirror : mirrors_) next = client::Earlier(next, mirror.objects->Step());
  return next;
}

std::optional<MonotonicTime> GarbageCollector::Step() {
  FollowKinds();
  std::optional<MonotonicTime> next = Follow();
  if (!synced()) return next;
  if (keys_.MustStartOver()) EnqueueAll();
  // An owner that is deleted comes after its dependents were made, but perhaps out of a mirror that
  // is looked at before theirs.
  if (keys_.Next()) next = client::Earlier(next, Follow());
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  return client::Earlier(next, keys_.Next());
}

// ------------------------------------------------------------------------------------------------
// Events to keys.

void GarbageCollector::Enqueue(const std::string& key) {
  keys_.Add(key);
}

void GarbageCollector::EnqueueAll() {
  for (size_t i = 0; i < mirrors_.size(); ++i) {
    for (const auto& [name, object] : mirrors_[i].objects->objects()) {
      if (NeedsLook(nullptr, object.metadata())) Enqueue(KeyIn(i, object.metadata()));
    }
  }
}

void GarbageCollector::OnChange(size_t mirror,
                                const api::Object* before,
                                const api::Object* after) {
  const bool is_alone = !HasOwners(before) && !HasOwners(after);
  if (is_alone && after != nullptr && !NeedsLook(before, after->metadata())) return;
  const std::string key = KeyIn(mirror, (after != nullptr ? after : before)->metadata());
  Index(key, before, after);
  if (after == nullptr) {
    for (const std::string& dependent : DependentsOf(before->metadata().uid)) Enqueue(dependent);
  } else if (NeedsLook(before, after->metadata())) {
    Enqueue(key);
  }
  const bool same_owners =
      before != nullptr && after != nullptr &&
      before->metadata().owner_references == after->metadata().owner_references;
  if (before != nullptr && !same_owners) EnqueueWaitingOwners(*before);
}

void GarbageCollector::Index(const std::string& key,
                             const api::Object* before,
                             const api::Object* after) {
  if (before != nullptr) {
    for (const OwnerReference& owner : before->metadata().owner_references) {
      const auto found = dependents_.find(owner.uid);
      if (found == dependents_.end()) continue;
      found->second.erase(key);
      if (found->second.empty()) dependents_.erase(found);
    }
  }
  if (after == nullptr) return;
  for (const OwnerReference& owner : after->metadata().owner_references) {
    dependents_[owner.uid].insert(key);
  }
}

// They may have waited for `dependent` only.
void GarbageCollector::EnqueueWaitingOwners(const api::Object& dependent) {
  const ObjectMeta& meta = dependent.metadata();
  for (const OwnerReference& reference : meta.owner_references) {
    const Mirror* mirror = MirrorOf(reference);
    if (mirror == nullptr) continue;
    ObjectMeta owner;
    owner.name = reference.name;
    if (mirror->kind->namespaced) owner.namespace_ = meta.namespace_;
    const api::Object* found = mirror->objects->Find(api::ObjectKey(owner));
    if (found == nullptr || !WaitsForDependents(found->metadata())) continue;
    Enqueue(KeyIn(static_cast<size_t>(mirror - mirrors_.data()), owner));
  }
}

// ------------------------------------------------------------------------------------------------
// What is known.

const api::Object* GarbageCollector::Find(const std::string& key) const {
  size_t mirror = 0;
  const size_t colon = key.find(':');
  std::from_chars(key.data(), key.data() + colon, mirror);
  return mirrors_[mirror].objects->Find(std::string_view(key).substr(colon + 1));
}

const GarbageCollector::Keys& GarbageCollector::DependentsOf(std::string_view uid) const {
  static const Keys kNone;
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? kNone : found->second;
}

Dependents GarbageCollector::Summary(const api::Object& owner) const {
  Dependents summary;
  for (const std::string& key : DependentsOf(owner.metadata().uid)) {
    const api::Object* dependent = Find(key);
    if (dependent == nullptr) continue;
    const ObjectMeta& meta = dependent->metadata();
    summary.any = true;
    summary.any_waits = summary.any_waits || WaitsForDependents(meta);
    for (const OwnerReference& reference : meta.owner_references) {
      if (reference.uid != owner.metadata().uid) continue;
      summary.any_blocks = summary.any_blocks || reference.block_owner_deletion.value_or(false);
    }
  }
  return summary;
}

const GarbageCollector::Mirror* GarbageCollector::MirrorOf(const OwnerReference& reference) const {
  const api::KindInfo* kind = scheme_.Now()->FindKind(reference.api_version, reference.kind);
  if (kind == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      mirrors_, [&](const Mirror& mirror) { return &mirror.kind->storage() == &kind->storage(); });
  return found == mirrors_.end() ? nullptr : &*found;
}

Result<OwnerState> GarbageCollector::StateOf(const api::Object& object,
                                             const OwnerReference& reference) {
  const Mirror* mirror = MirrorOf(reference);
  if (mirror == nullptr) return OwnerState::kUnknown;
  const std::string& namespace_ = object.metadata().namespace_;
  if (mirror->kind->namespaced && namespace_.empty()) return OwnerState::kUnknown;
  client::ObjectRef ref{.kind = mirror->kind, .namespace_ = {}, .name = reference.name};
  if (mirror->kind->namespaced) ref.namespace_ = namespace_;
  const std::string key =
      ref.namespace_.empty() ? ref.name : fmt::format("{}/{}", ref.namespace_, ref.name);
  const api::Object* known = mirror->objects->Find(key);
  if (known != nullptr && known->metadata().uid == reference.uid) {
    return WaitsForDependents(known->metadata()) ? OwnerState::kWaits : OwnerState::kThere;
  }
  const Result<api::Object> live = client_.Get(ref);
  if (!live && !IsMissing(live.error())) return Fail(live.error());
  if (!live || live->metadata().uid != reference.uid) return OwnerState::kGone;
  return WaitsForDependents(live->metadata()) ? OwnerState::kWaits : OwnerState::kThere;
}

// ------------------------------------------------------------------------------------------------
// What is done.

Result<> GarbageCollector::Sync(const std::string& key) {
  const api::Object* found = Find(key);
  if (found == nullptr) return {};
  const api::Object object = *found;
  std::vector<OwnerState> owners;
  if (!object.metadata().deletion_timestamp.has_value()) {
    for (const OwnerReference& reference : object.metadata().owner_references) {
      DRAY_TRY(const OwnerState state, StateOf(object, reference));
      owners.push_back(state);
    }
  }
  for (const GarbageAction& action : PlanGarbage(object.metadata(), owners, Summary(object))) {
    DRAY_TRY_VOID(Perform(object, action));
  }
  return {};
}

Result<> GarbageCollector::Perform(const api::Object& object, const GarbageAction& action) {
  if (std::holds_alternative<OrphanDependents>(action)) return Orphan(object.metadata().uid);
  if (const auto* remove = std::get_if<RemoveOwners>(&action)) {
    return RemoveOwnersOf(object, remove->uids);
  }
  if (const auto* collect = std::get_if<CollectObject>(&action)) {
    return Collect(object, collect->policy);
  }
  if (std::holds_alternative<CollectDependents>(action)) {
    for (const std::string& dependent : DependentsOf(object.metadata().uid)) Enqueue(dependent);
    return {};
  }
  const auto* finalizer = std::get_if<RemoveDeletionFinalizer>(&action);
  DRAY_TRY(const api::Object whole, client_.Get(client::RefOf(object)));  // a mirror may have less
  DRAY_TRY_VOID(
      client::ReadModifyWrite(client_, whole, {}, [&](api::Object& copy) -> Result<client::Change> {
        ObjectMeta& meta = copy.mutable_metadata();
        if (meta.uid != object.metadata().uid) return client::Change::kNothing;
        if (finalizer != nullptr) {
          return std::erase(meta.finalizers, finalizer->finalizer) > 0 ? client::Change::kWrite
                                                                       : client::Change::kNothing;
        }
        for (OwnerReference& owner : meta.owner_references) owner.block_owner_deletion = false;
        return client::Change::kWrite;  // UnblockOwners
      }));
  return {};
}

Result<> GarbageCollector::Orphan(const std::string& owner_uid) {
  const Keys dependents = DependentsOf(owner_uid);
  for (const std::string& key : dependents) {
    const api::Object* found = Find(key);
    if (found == nullptr) continue;
    const api::Object dependent = *found;
    const Result<> removed = RemoveOwnersOf(dependent, {owner_uid});
    if (!removed && !IsMissing(removed.error())) return removed;
  }
  return {};
}

Result<> GarbageCollector::RemoveOwnersOf(const api::Object& object,
                                          const std::vector<std::string>& uids) {
  DRAY_TRY(const api::Object whole, client_.Get(client::RefOf(object)));  // a mirror may have less
  DRAY_TRY_VOID(
      client::ReadModifyWrite(client_, whole, {}, [&](api::Object& copy) -> Result<client::Change> {
        ObjectMeta& meta = copy.mutable_metadata();
        if (meta.uid != object.metadata().uid) return client::Change::kNothing;
        const size_t erased =
            std::erase_if(meta.owner_references, [&](const OwnerReference& owner) {
              return std::ranges::find(uids, owner.uid) != uids.end();
            });
        return erased > 0 ? client::Change::kWrite : client::Change::kNothing;
      }));
  return {};
}

// Deletes only the version that was judged: an object that got another owner meanwhile stays, and
// is judged again.
Result<> GarbageCollector::Collect(const api::Object& object, std::string_view policy) {
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{
      .uid = object.metadata().uid, .resource_version = object.metadata().resource_version};
  options.propagation_policy = policy;
  return client_.Delete(client::RefOf(object), options);
}

}  // namespace dray::controllers
