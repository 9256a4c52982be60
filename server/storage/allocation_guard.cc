// SPDX-License-Identifier: Apache-2.0
#include "server/storage/allocation_guard.h"

#include <optional>
#include <utility>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"

namespace dray::server::storage {
namespace {

using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceSlice;

// Events taken from the store at a time.
constexpr size_t kBatchEventsMax = 1024;

template <class T>
const api::KindInfo& Kind() {
  return api::Reflected<T>::kKind;
}

/// The object of the record, if there is one that can be read and that is of our generation.
template <class T>
Frozen<T> ReadAs(const store::Record* record) {
  if (record == nullptr) return nullptr;
  const Result<std::optional<Item>> item = ItemOf(View::OfStorage(Kind<T>()), *record);
  if (!item.has_value() || !item->has_value()) return nullptr;
  return api::FrozenOf<T>((*item)->object);
}

template <class T>
Frozen<T> AfterOf(const store::Event& event) {
  return event.type == store::Event::Type::kPut ? ReadAs<T>(event.record.get()) : nullptr;
}

bool AllocatesNothingNew(const ResourceClaim& before, const ResourceClaim& after) {
  const auto& now = after.status.allocation;
  if (!now.has_value()) return true;
  const auto& old = before.status.allocation;
  return old.has_value() && old->devices.results == now->devices.results;
}

/// Applies the events of a kind up to the newest one. False when some of them are gone.
template <class T, class Apply>
bool FollowKind(const store::Store& store, Revision& until, Apply apply) {
  const Revision newest = store.Read()->revision();
  while (until < newest) {
    const Result<store::Batch> batch =
        store.EventsAfter(until, ResourcePrefix(Kind<T>()), kBatchEventsMax);
    if (!batch.has_value()) return false;
    for (const Frozen<store::Event>& event : batch->events) {
      apply(ReadAs<T>(event->previous.get()), AfterOf<T>(*event));
    }
    until = batch->through;
  }
  return true;
}

}  // namespace

void AllocationGuard::Known::Load(const store::Snapshot& snapshot) {
  holders = registry::DeviceHolders();
  for (const auto& record : snapshot.Range({.prefix = ResourcePrefix(Kind<ResourceSlice>())})) {
    holders.SetSlice(nullptr, ReadAs<ResourceSlice>(&record));
  }
  for (const auto& record : snapshot.Range({.prefix = ResourcePrefix(Kind<ResourceClaim>())})) {
    holders.SetClaim(nullptr, ReadAs<ResourceClaim>(&record).get());
  }
  claims_until = slices_until = snapshot.revision();
}

void AllocationGuard::Known::Follow(const store::Store& store) {
  const auto set_slice = [this](const auto& before, const auto& after) {
    holders.SetSlice(before.get(), after);
  };
  const auto set_claim = [this](const auto& before, const auto& after) {
    holders.SetClaim(before.get(), after.get());
  };
  const bool followed = claims_until != Revision{} &&
                        FollowKind<ResourceSlice>(store, slices_until, set_slice) &&
                        FollowKind<ResourceClaim>(store, claims_until, set_claim);
  if (!followed) Load(*store.Read());
}

void AllocationGuard::CatchUp() {
  const MutexLock lock(mutex_);
  known_.Follow(store_);
}

Result<std::vector<store::Fence>> AllocationGuard::FencesFor(const api::Object& before,
                                                             const api::Object& after) {
  const auto* old = before.If<ResourceClaim>();
  const auto* now = after.If<ResourceClaim>();
  std::vector<store::Fence> fences;
  if (old == nullptr || now == nullptr || AllocatesNothingNew(*old, *now)) return fences;
  const MutexLock lock(mutex_);
  known_.Follow(store_);
  registry::OverlapVerdict verdict = known_.holders.Judge(*old, *now);
  if (!verdict.overlap.empty()) {
    return Fail(
        errors::Conflict(Kind<ResourceClaim>(), now->metadata.name, std::move(verdict.overlap)));
  }
  for (std::string& name : verdict.decided_about) {
    fences.push_back({.name = std::move(name), .seen = known_.claims_until});
  }
  return fences;
}

}  // namespace dray::server::storage
