// SPDX-License-Identifier: Apache-2.0
#include "server/storage/allocation_guard.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pool_accounts.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"

namespace dray::server::storage {
namespace {

using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceSlice;

// Events read from the store in one batch.
constexpr size_t kBatchEventsMax = 1024;

template <class T>
const api::KindInfo& Kind() {
  return api::Reflected<T>::kKind;
}

/// The object of the record; null if it is not of our generation.
template <class T>
Result<Frozen<T>> TryRead(const store::Record& record) {
  DRAY_TRY(const std::optional<Item> item, ItemOf(View::OfStorage(Kind<T>()), record));
  return item.has_value() ? api::FrozenOf<T>(item->object) : nullptr;
}

/// The same, also null if there is no record or it cannot be read.
template <class T>
Frozen<T> ReadAs(const store::Record* record) {
  return record == nullptr ? nullptr : TryRead<T>(*record).value_or(nullptr);
}

/// The record after the event; null if it was deleted.
const store::Record* AfterOf(const store::Event& event) {
  return event.type == store::Event::Type::kPut ? event.record.get() : nullptr;
}

bool AllocatesNothingNew(const ResourceClaim& before, const ResourceClaim& after) {
  const auto& now = after.status.allocation;
  if (!now.has_value()) return true;
  const auto& old = before.status.allocation;
  return old.has_value() && old->devices.results == now->devices.results;
}

/// Applies the events of a kind up to the newest one. False when some of them are compacted.
template <class T, class Apply>
bool FollowKind(const store::Store& store, Revision& until, Apply apply) {
  const Revision newest = store.Read()->revision();
  while (until < newest) {
    const Result<store::Batch> batch =
        store.EventsAfter(until, ResourcePrefix(Kind<T>()), kBatchEventsMax);
    if (!batch.has_value()) return false;
    for (const Frozen<store::Event>& event : batch->events) {
      apply(*event);
    }
    until = batch->through;
  }
  return true;
}

}  // namespace

void AllocationGuard::Known::Load(const store::Snapshot& snapshot) {
  holders = registry::DeviceHolders();
  unreadable.clear();
  for (const auto& record : snapshot.Range({.prefix = ResourcePrefix(Kind<ResourceSlice>())})) {
    holders.SetSlice(nullptr, ReadAs<ResourceSlice>(&record).get());
  }
  for (const auto& record : snapshot.Range({.prefix = ResourcePrefix(Kind<ResourceClaim>())})) {
    SetClaim(record.key(), nullptr, &record);
  }
  claims_until = slices_until = snapshot.revision();
}

void AllocationGuard::Known::Follow(const store::Store& store) {
  const auto set_slice = [this](const store::Event& event) {
    holders.SetSlice(ReadAs<ResourceSlice>(event.previous.get()).get(),
                     ReadAs<ResourceSlice>(AfterOf(event)).get());
  };
  const auto set_claim = [this](const store::Event& event) {
    SetClaim(event.record->key(), event.previous.get(), AfterOf(event));
  };
  const bool followed = claims_until != Revision{} &&
                        FollowKind<ResourceSlice>(store, slices_until, set_slice) &&
                        FollowKind<ResourceClaim>(store, claims_until, set_claim);
  if (!followed) Load(*store.Read());
}

void AllocationGuard::Known::SetClaim(std::string_view key,
                                      const store::Record* before,
                                      const store::Record* after) {
  if (const auto known = unreadable.find(key); known != unreadable.end()) unreadable.erase(known);
  Frozen<ResourceClaim> claim;
  if (after != nullptr) {
    Result<Frozen<ResourceClaim>> read = TryRead<ResourceClaim>(*after);
    if (!read) unreadable.emplace(key, after->value);
    if (read) claim = *std::move(read);
  }
  holders.SetClaim(ReadAs<ResourceClaim>(before).get(), claim.get());
}

std::string AllocationGuard::Known::HiddenOverlap(const ResourceClaim& before,
                                                  const ResourceClaim& after) const {
  if (unreadable.empty()) return "";
  const auto had = [&](const auto& result) {
    const auto& old = before.status.allocation;
    return old && std::ranges::find(old->devices.results, result) != old->devices.results.end();
  };
  for (const auto& result : after.status.allocation->devices.results) {
    if (api::claims::AsksForAdminAccess(after, result.request) || had(result)) continue;
    for (const auto& [key, value] : unreadable) {
      const std::string bytes = value->bytes();
      const bool is_named = bytes.contains(result.driver) && bytes.contains(result.pool) &&
                            bytes.contains(result.device);
      if (!is_named) continue;
      return fmt::format(
          "device {}/{}/{} may be allocated to the ResourceClaim at {}, which cannot be read: "
          "delete it",
          result.driver,
          result.pool,
          result.device,
          key);
    }
  }
  return "";
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
  if (verdict.bad_amount.has_value()) {
    return Fail(errors::Invalid(
        Kind<ResourceClaim>(), now->metadata.name, {*std::move(verdict.bad_amount)}));
  }
  if (verdict.overlap.empty()) verdict.overlap = known_.HiddenOverlap(*old, *now);
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
