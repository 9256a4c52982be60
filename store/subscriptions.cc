// SPDX-License-Identifier: Apache-2.0
#include "store/subscriptions.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {

Subscriptions::~Subscriptions() {
  DRAY_CHECK(size() == 0);
}

Result<Subscription> Subscriptions::Add(Wake wake) {
  const MutexLock lock(mutex_);
  if (wakes_.size() >= count_max_) {
    return Fail(StatusReason::kTooManyRequests,
                fmt::format("the store has {} subscriptions and allows no more", count_max_));
  }
  const uint64_t id = next_id_++;
  wakes_.emplace(id, std::move(wake));
  return Subscription([this, id] { Remove(id); });
}

void Subscriptions::Announce(Revision newest) {
  const MutexLock lock(mutex_);
  if (newest <= announced_) return;
  bool all_know = true;
  for (const auto& entry : wakes_) all_know &= !RanOutOfMemory([&] { entry.second(newest); });
  if (all_know) announced_ = newest;
}

void Subscriptions::Remove(uint64_t id) {
  const MutexLock lock(mutex_);
  wakes_.erase(id);
}

size_t Subscriptions::size() const {
  const MutexLock lock(mutex_);
  return wakes_.size();
}

}  // namespace dray::store
