// SPDX-License-Identifier: Apache-2.0
// For tests of the store in etcd: an etcd, stores in it, and things to wait for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/store.h"

namespace dray::store::etcd::testing {

/// Collects log lines, so that a test can wait for them.
class LogLines {
 public:
  Log log() {
    return {RealWorld().clock, [this](std::string_view line) { Add(line); }, {}};
  }

  /// Waits until lines with `text` have been logged `count` times.
  void Await(std::string_view text, size_t count = 1) {
    const MutexLock lock(mutex_);
    while (CountOf(text) < count) changed_.Wait(mutex_);
  }
  size_t Count(std::string_view text) {
    const MutexLock lock(mutex_);
    return CountOf(text);
  }

 private:
  void Add(std::string_view line) {
    const MutexLock lock(mutex_);
    lines_.emplace_back(line);
    changed_.NotifyAll();
  }
  size_t CountOf(std::string_view text) const DRAY_REQUIRES(mutex_) {
    size_t count = 0;
    for (const std::string& line : lines_) count += line.contains(text) ? 1 : 0;
    return count;
  }

  Mutex mutex_;
  Condition changed_;
  std::vector<std::string> lines_ DRAY_GUARDED_BY(mutex_);
};

inline constexpr std::string_view kBroke = "the watch of etcd broke";
inline constexpr std::string_view kGoesOn = "the watch of etcd continues";
inline constexpr std::string_view kReadAnew = "was read anew";

/// Waits until `is_so` returns true. Checks it again after each change of `store`.
inline void AwaitChange(Store& store, const std::function<bool()>& is_so) {
  Mutex mutex;
  Condition changed;
  uint64_t wakes = 0;
  const Subscription subscription = *store.Subscribe([&](Revision) {
    const MutexLock lock(mutex);
    ++wakes;
    changed.NotifyAll();
  });
  while (true) {
    uint64_t seen = 0;
    {
      const MutexLock lock(mutex);
      seen = wakes;
    }
    if (is_so()) return;
    const MutexLock lock(mutex);
    while (wakes == seen) changed.Wait(mutex);
  }
}

inline Result<Revision> SyncAndWait(Store& store) {
  std::promise<Result<Revision>> answer;
  store.Sync([&](Result<Revision> revision) { answer.set_value(std::move(revision)); });
  return answer.get_future().get();
}

/// Calls Sync until etcd can be reached again; each call has its own time limit.
inline Revision SyncAtLast(Store& store) {
  while (true) {
    const Result<Revision> synced = SyncAndWait(store);
    if (synced.has_value()) return *synced;
  }
}

/// The same options, with time limits so long that only a bug reaches them, except those that the
/// test has set.
inline EtcdOptions Patient(EtcdOptions options) {
  constexpr std::chrono::minutes kPatience{10};  // reached only because of a bug
  const EtcdOptions usual;
  if (options.dial_timeout == usual.dial_timeout) options.dial_timeout = kPatience;
  if (options.commit_timeout == usual.commit_timeout) options.commit_timeout = kPatience;
  if (options.page_timeout == usual.page_timeout) options.page_timeout = kPatience;
  return options;
}

/// Starts an etcd for each test.
class EtcdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
    etcd_ = EtcdProcess::Start({.disk = EtcdDisk::kMemory}).value();
  }

  /// Opens a store in this etcd with the log of the test. Connects directly, unless the options
  /// name other endpoints.
  Result<std::unique_ptr<EtcdStore>> TryOpen(EtcdOptions etcd_options = {},
                                             const Options& options = {}) {
    if (etcd_options.endpoints.empty()) etcd_options.endpoints = {etcd_->endpoint()};
    return EtcdStore::Open(RealWorld(), lines_.log(), Patient(etcd_options), options);
  }
  std::unique_ptr<EtcdStore> Open(const EtcdOptions& etcd_options = {},
                                  const Options& options = {}) {
    Result<std::unique_ptr<EtcdStore>> store = TryOpen(etcd_options, options);
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return *std::move(store);
  }

  std::unique_ptr<EtcdProcess> etcd_;
  LogLines lines_;
};

}  // namespace dray::store::etcd::testing
