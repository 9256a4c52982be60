// SPDX-License-Identifier: Apache-2.0
// Who wants to be woken after commits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {

/// Safe from any thread. Outlives the subscriptions it gave out.
class Subscriptions {
 public:
  explicit Subscriptions(const Options& options) : count_max_(options.subscriptions_max) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;
  ~Subscriptions();

  /// As Store::Subscribe.
  Result<Subscription> Add(Wake wake);

  /// Wakes all, one after the other, unless something as new has been announced already: then that
  /// call has returned, so either way every subscriber knows of `newest` afterwards. One that finds
  /// no memory does not keep it from the others; the next call wakes again.
  void Announce(Revision newest);

  size_t size() const;

 private:
  void Remove(uint64_t id);

  const size_t count_max_;
  mutable Mutex mutex_;  // held while waking: who removes a subscription waits for its wake
  uint64_t next_id_ DRAY_GUARDED_BY(mutex_) = 0;
  Revision announced_ DRAY_GUARDED_BY(mutex_){0};
  std::map<uint64_t, Wake> wakes_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store
