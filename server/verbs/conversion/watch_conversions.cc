// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/conversion/watch_conversions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "server/storage/keys.h"
#include "server/storage/write_session.h"
#include "server/webhooks/conversion.h"

namespace dray::server::verbs::inline conversion {
namespace {

using storage::Unconverted;

MonotonicTime LatestOf(const Core& core) {
  return core.world.clock.Monotonic() + kConversionsTimeMax;
}

Task<> ConvertForWatch(const Core* core,
                       const api::CustomKind* to,
                       std::vector<Unconverted> needed,
                       Frozen<ShareOwner> owner) {
  storage::WriteSession session(core->store,
                                {.workers = core->options.workers, .line = LineOf(owner)});
  const ConversionAsker asker{
      .core = core, .session = &session, .owner = std::move(owner), .latest = LatestOf(*core)};
  co_return co_await Convert(asker, to, std::move(needed));
}

// In calls of one version each.
std::vector<std::vector<Unconverted>> BatchesOf(std::vector<Unconverted> needed) {
  std::vector<std::vector<Unconverted>> batches;
  for (Unconverted& one : needed) {
    const bool is_next = batches.empty() ||
                         batches.back().size() >= webhooks::kConversionObjectsMax ||
                         batches.back().front().by != one.by ||
                         &batches.back().front().item.object.kind() != &one.item.object.kind();
    if (is_next) batches.emplace_back();
    batches.back().push_back(std::move(one));
  }
  return batches;
}

}  // namespace

void ConversionWait::SetWatcher(std::shared_ptr<Wakeable> watcher) {
  const MutexLock lock(mutex_);
  watcher_.swap(watcher);
}

bool ConversionWait::is_waiting() const {
  const MutexLock lock(mutex_);
  return left_ > 0;
}

std::optional<Error> ConversionWait::TakeFailure() {
  const MutexLock lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void ConversionWait::Begin(size_t conversions) {
  const MutexLock lock(mutex_);
  left_ += conversions;
}

void ConversionWait::End(const Result<>& converted) {
  const MutexLock lock(mutex_);
  if (!converted.has_value()) failure_ = converted.error();
  if (--left_ > 0 || watcher_ == nullptr) return;
  // Under the lock, so that SetWatcher() waits for it. A wake that runs out of memory is repeated
  // by the next commit, as in WatchHub.
  if (!TryWake(*watcher_)) return;
}

void WatchConversions::Start(const Core& core,
                             const api::CustomKind& to,
                             std::vector<Unconverted> needed,
                             const std::shared_ptr<ConversionWait>& wait,
                             const Frozen<ShareOwner>& owner) {
  wait->Begin(needed.size());
  std::vector<Unconverted> own;
  std::vector<std::vector<Unconverted>> batches;
  {
    const MutexLock lock(mutex_);
    for (Unconverted& one : needed) {
      Waits& waits = under_way_[Key(one.stored.get(), to.version)];
      waits.push_back(wait);
      if (waits.size() == 1) own.push_back(std::move(one));
    }
    batches = BatchesOf(std::move(own));
    calls_ += batches.size();
  }
  for (std::vector<Unconverted>& batch : batches) {
    std::vector<Key> keys;
    Prepared held;  // so that no other object comes to lie at such an address
    for (const Unconverted& one : batch) {
      keys.emplace_back(one.stored.get(), to.version);
      held.push_back(one.stored);
    }
    dray::Start(ConvertForWatch(&core, &to, std::move(batch), owner),
                [this, keys = std::move(keys), held = std::move(held)](Result<> converted) {
                  Ended(keys, converted);
                });
  }
}

void WatchConversions::Ended(std::span<const Key> keys, const Result<>& converted) {
  Waits ended;
  {
    const MutexLock lock(mutex_);
    for (const Key& key : keys) {
      const auto found = under_way_.find(key);
      std::ranges::move(found->second, std::back_inserter(ended));
      under_way_.erase(found);
    }
  }
  for (const std::shared_ptr<ConversionWait>& wait : ended) wait->End(converted);
  const MutexLock lock(mutex_);
  if (--calls_ == 0) idle_.NotifyAll();
}

void WatchConversions::WaitUntilIdle() {
  const MutexLock lock(mutex_);
  while (calls_ > 0) idle_.Wait(mutex_);
}

bool WatchedConversions::AreReady(std::span<const store::Record* const> records) {
  held_.clear();
  std::vector<Unconverted> needed;
  for (const store::Record* record : records) {
    auto found = storage::UnconvertedOf(view_, *record, storage::Freshness::kKept);
    if (!found.has_value() || !found->has_value()) continue;
    Unconverted& one = **found;
    held_.push_back(one.stored);
    const bool is_new = one.by != nullptr &&
                        std::ranges::find(needed, one.stored, &Unconverted::stored) == needed.end();
    if (is_new) needed.push_back(std::move(one));
  }
  if (needed.empty()) return true;
  core_.watch_conversions->Start(
      core_, *api::CustomOf(*view_.kind), std::move(needed), wait_, owner_);
  return false;
}

Task<> PrepareWatch(const Core* core, ResourceRequest request) {
  storage::WriteSession session(core->store,
                                {.workers = core->options.workers, .line = LineOf(request.owner)});
  const ConversionAsker asker{
      .core = core, .session = &session, .owner = request.owner, .latest = LatestOf(*core)};
  DRAY_CO_TRY_VOID(co_await session.ContinueOnWorker());
  const Frozen<store::Snapshot> snapshot = core->store.Read();
  const storage::View view{.kind = request.kind, .release = request.release};
  const KeyPlace place(storage::CollectionPrefix(request.kind->storage(), request.namespace_));
  DRAY_CO_TRY_VOID(co_await PrepareRange(asker, view, snapshot, place, snapshot->size()));
  co_return {};
}

}  // namespace dray::server::verbs::inline conversion
