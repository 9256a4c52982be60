// SPDX-License-Identifier: Apache-2.0
// Who is to be woken by which commit: one subscription to the store for all watches of a server.
//
// A commit costs its events times the watches of their resources, however many watches there are of
// others: most watches of a cluster are idle most of the time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::server::verbs {

/// Safe from any thread. Outlives its registrations, and is outlived by the store.
class WatchHub {
 public:
  /// Watches at one time. Each holds a connection, so this is far beyond what sockets allow.
  static constexpr size_t kWatchesMax = 100'000;

  /// Ends its registration when destroyed; no wake runs afterwards.
  class Registration {
   public:
    Registration() = default;
    Registration(WatchHub* hub, uint64_t id, std::string group)
        : hub_(hub), id_(id), group_(std::move(group)) {}
    Registration(Registration&& other) noexcept { *this = std::move(other); }
    Registration& operator=(Registration&& other) noexcept {
      std::swap(hub_, other.hub_);
      std::swap(id_, other.id_);
      std::swap(group_, other.group_);
      return *this;
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration();

   private:
    WatchHub* hub_ = nullptr;
    uint64_t id_ = 0;
    std::string group_;
  };

  explicit WatchHub(store::Store& store);

  /// Calls `wake` after each commit that changed a key beginning with `prefix`, from the committing
  /// thread; several commits may share a call. A wake that finds no memory is repeated with the
  /// next commit; who cannot wait for that asks by its own clock, too. `prefix` names a resource:
  /// "/registry/pods/…".
  ///
  /// Errors: kTooManyRequests  kWatchesMax exist, or the store took no subscription.
  Result<Registration> Add(std::string prefix, std::function<void()> wake);

 private:
  struct Watch {
    std::string prefix;
    std::function<void()> wake;
    uint64_t round = 0;  // of the last wake: several events of one round wake once
  };

  void OnCommit(Revision newest);
  /// False if somebody could not be woken for want of memory.
  bool Wake(std::string_view key) DRAY_REQUIRES(mutex_);
  void WakeAll() DRAY_REQUIRES(mutex_);
  void Remove(const std::string& group, uint64_t id);

  store::Store& store_;
  Mutex mutex_;
  std::map<std::string, std::map<uint64_t, Watch>, std::less<>> groups_ DRAY_GUARDED_BY(mutex_);
  size_t watches_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t next_id_ DRAY_GUARDED_BY(mutex_) = 1;
  uint64_t round_ DRAY_GUARDED_BY(mutex_) = 0;
  Revision seen_ DRAY_GUARDED_BY(mutex_);
  std::optional<Error> failure_;      // constant after construction
  store::Subscription subscription_;  // last: ends before the rest goes
};

}  // namespace dray::server::verbs
