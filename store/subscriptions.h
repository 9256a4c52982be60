// SPDX-License-Identifier: Apache-2.0
// The subscribers to wake after commits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {

/// Safe from any thread. Outlives its subscriptions.
class Subscriptions {
 public:
  explicit Subscriptions(const Options& options) : count_max_(options.subscriptions_max) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;
  ~Subscriptions();

  /// See Store::Subscribe.
  Result<Subscription> Add(Wake wake);

  /// Wakes all subscribers, one after the other. Does nothing if another call has announced a
  /// revision as new; that call has then returned, so either way every subscriber has been woken
  /// for `newest`. If a wake throws bad_alloc, the others are still woken; the next call wakes that
  /// one again.
  void Announce(Revision newest);

  size_t size() const;

 private:
  void Remove(uint64_t id);

  const size_t count_max_;
  mutable Mutex mutex_;  // held while waking, so the removal of a subscription waits for its wake
  uint64_t next_id_ DRAY_GUARDED_BY(mutex_) = 0;
  Revision announced_ DRAY_GUARDED_BY(mutex_){0};
  std::map<uint64_t, Wake> wakes_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store
