// SPDX-License-Identifier: Apache-2.0
// Concurrent writers, readers and followers. Meant for the sanitizers as well.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::testing {
namespace {

constexpr int kWriters = 4;
constexpr int kIncrements = 300;

/// Increments a number kept at `key`, with as many attempts as needed; each retry starts from the
/// conflict.
void Increment(Store& store, const std::string& key) {
  const Frozen<Snapshot> snapshot = store.Read();
  Frozen<Record> current = snapshot->Get(key);
  while (true) {
    const int number = current == nullptr ? 0 : std::stoi(std::string(current->value->bytes()));
    const Revision modified = current == nullptr ? kAbsent : current->modified;
    Result<CommitOutcome> outcome =
        store.CommitAndWait(If(key, modified, PutOf(key, std::to_string(number + 1))));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    Conflict* conflict = std::get_if<Conflict>(&*outcome);
    if (conflict == nullptr) return;
    current = std::move(conflict->mismatches.at(0).current);
  }
}

TEST_P(StoreThreads, NoUpdateIsLost) {
  const auto store = Open();
  std::vector<std::jthread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < kIncrements; ++n) Increment(*store, "/r/pods/counter");
    });
  }
  writers.clear();
  const Frozen<Snapshot> end = store->Read();
  EXPECT_EQ(end->Find("/r/pods/counter")->value->bytes(), std::to_string(kWriters * kIncrements));
  EXPECT_EQ(end->revision(), Revision{1 + kWriters * kIncrements});
}

/// Follows everything from the first revision until `last`, waiting for wakes in between.
void FollowTo(Store& store, const std::atomic<int64_t>& woken, Revision last) {
  Revision cursor = kFirstRevision;
  int64_t number = 0;
  while (cursor < last) {
    const int64_t seen = woken.load();
    const Result<Batch> batch = store.EventsAfter(cursor, "/r/pods/", 7);
    ASSERT_TRUE(batch.has_value());
    for (const Frozen<Event>& event : batch->events) {
      ASSERT_EQ(event->record->value->bytes(), std::to_string(++number))
          << "a gap, or a repetition";
      ASSERT_GE(store.Read()->revision(), event->revision()) << "an event before its snapshot";
    }
    if (batch->through == cursor) woken.wait(seen);
    cursor = batch->through;
  }
  EXPECT_EQ(number, kWriters * kIncrements);
}

TEST_P(StoreThreads, FollowersSeeEveryRevisionOnceAndInOrder) {
  const auto store = Open();
  const Revision last{1 + 2 * kWriters * kIncrements};  // each increment also writes elsewhere
  std::atomic<int64_t> woken{0};
  const Subscription subscription = *store->Subscribe([&](Revision newest) {
    EXPECT_GT(newest.value(), woken.load()) << "wakes ascend";
    woken.store(newest.value());
    woken.notify_all();
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { FollowTo(*store, woken, last); });
  threads.emplace_back([&] {  // snapshots never go back, and older ones can be read
    Revision newest = kFirstRevision;
    while (newest < last) {
      const Frozen<Snapshot> snapshot = store->Read();
      ASSERT_GE(snapshot->revision(), newest);
      newest = snapshot->revision();
      ASSERT_TRUE(store->ReadAt(Revision{1 + newest.value() / 2}).has_value());
    }
  });
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&, own = "/r/leases/" + std::to_string(i)] {
      for (int n = 0; n < kIncrements; ++n) {
        Increment(*store, "/r/pods/counter");
        Increment(*store, own);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store->Read()->revision(), last);
}

TEST_P(StoreThreads, SubscriptionsComeAndGoDuringCommits) {
  const auto store = Open();
  std::atomic<bool> done{false};
  const std::jthread writer([&] {
    for (int n = 0; n < kIncrements; ++n) Increment(*store, "/r/pods/counter");
    done = true;
  });
  size_t rounds = 0;
  while (!done || rounds < 10) {
    bool is_alive = true;
    Subscription subscription = *store->Subscribe([&](Revision) { EXPECT_TRUE(is_alive); });
    subscription.Cancel();
    is_alive = false;  // no wake runs any more; the sanitizers would report one
    ++rounds;
  }
}

TEST_P(StoreThreads, CompactionRacesWithReaders) {
  const auto store = Open({.events_max = 64});
  std::atomic<bool> done{false};
  const std::jthread compactor([&] {
    while (!done) EXPECT_TRUE(store->Compact(store->Read()->revision()).has_value());
  });
  const std::jthread reader([&] {
    while (!done) {
      const Revision asked{store->Read()->revision().value() - 3};
      const Result<Frozen<Snapshot>> then = store->ReadAt(asked);
      if (then.has_value()) {
        EXPECT_EQ((*then)->revision(), asked);
      } else {
        EXPECT_EQ(then.error().reason, StatusReason::kExpired);
      }
    }
  });
  for (int n = 0; n < kIncrements; ++n) Increment(*store, "/r/pods/counter");
  done = true;
}

}  // namespace
}  // namespace dray::store::testing
