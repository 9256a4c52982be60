// SPDX-License-Identifier: Apache-2.0
// A store in memory when allocations fail: the first, the second, … the last allocation of a
// commit. The commit then has happened completely, or not at all.
#include <chrono>
#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/testing/failing_memory.h"
#include "base/world.h"
#include "store/history.h"
#include "store/memory_store.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store {
namespace {

using testing::Bytes;
using testing::DeleteOf;
using testing::Do;
using testing::Fenced;
using testing::PutOf;
using testing::Texts;

constexpr WallTime kSoon{std::chrono::seconds(5)};
constexpr WallTime kLater{std::chrono::seconds(9)};

Txn PutUntil(const std::string& key, const std::string& value, WallTime expiry) {
  return {.operations = {Put{.key = key, .value = Bytes(value), .expiry = expiry}}};
}

/// Everything that readers of a store can see.
std::vector<std::string> Everything(const Store& store) {
  std::vector<std::string> all = Texts(store.Read()->Range({}));
  for (const std::string prefix : {"/", "/r/pods/", "/r/new/"}) {
    const auto batch = store.EventsAfter(kFirstRevision, prefix, History::kAnchorSpacing * 4);
    for (std::string& text : Texts(*batch)) all.push_back(std::move(text));
    all.push_back("through " + std::to_string(batch->through.value()));
  }
  const Status status = store.status();
  all.push_back(std::to_string(status.newest.value()) + " newest, " +
                std::to_string(status.live_bytes) + " bytes, " +
                std::to_string(status.event_bytes) + " of events, next " +
                std::to_string(status.next_expiry.value_or(WallTime()).time_since_epoch().count()));
  return all;
}

/// One event before the next snapshot is kept.
void Fill(MemoryStore& store) {
  for (size_t i = 1; i < History::kAnchorSpacing - 1; ++i) {
    Do(store, PutOf("/r/pods/" + std::to_string(i % 40), std::to_string(i)));
  }
  Do(store, PutUntil("/r/pods/short", "lived", kSoon));
}

/// Commits `txn` with an allocation failing after `successes` of them. Returns whether the
/// transaction was carried out; nothing if no allocation failed.
std::optional<bool> TryWithout(MemoryStore& store, Txn txn, int successes) {
  bool answered = false;
  bool done = false;
  CommitCallback callback = [&](const Result<CommitOutcome>& outcome) {
    answered = true;
    done = outcome.has_value() && std::holds_alternative<Committed>(*outcome);
  };
  dray::testing::TakeAllocationFailed();
  dray::testing::FailAllocationAfter(successes);
  try {
    store.Commit(std::move(txn), std::move(callback));
  } catch (const std::bad_alloc&) {
    EXPECT_FALSE(answered) << successes;
  }
  dray::testing::FailAllocationAfter(-1);
  if (dray::testing::TakeAllocationFailed()) return done;
  EXPECT_TRUE(done);
  return std::nullopt;
}

TEST(MemoryStoreWithoutMemory, CommitsAllOrNothing) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  const std::function<Txn()> cases[] = {
      [] { return PutOf("/r/new/one", "1"); },
      [] { return PutOf("/r/pods/7", "again"); },
      [] { return DeleteOf("/r/pods/7"); },
      [] { return PutUntil("/r/pods/short", "longer", kLater); },
      [] { return Fenced("a fence", Revision{300}, PutOf("/r/pods/8", "fenced")); },
      [] {
        Txn txn = PutUntil("/r/new/one of several", "1", kSoon);
        txn.operations.emplace_back(Put{.key = "/r/newer/two", .value = Bytes("2")});
        txn.operations.emplace_back(Delete{.key = "/r/pods/short"});
        return txn;
      },
  };
  for (const auto& txn : cases) {
    MemoryStore expected;
    Fill(expected);
    Do(expected, txn());
    int successes = 0;
    for (bool had_memory = false; !had_memory; ++successes) {
      MemoryStore store;
      Fill(store);
      const std::vector<std::string> before = Everything(store);
      const std::optional<bool> done = TryWithout(store, txn(), successes);
      had_memory = !done.has_value();
      if (done == false) {
        EXPECT_EQ(Everything(store), before) << successes;
        Do(store, txn());  // the store still works
      }
      EXPECT_EQ(Everything(store), Everything(expected)) << successes;
    }
    EXPECT_GT(successes, 5);
  }
}

TEST(MemoryStoreWithoutMemory, WakesTheOthers) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  MemoryStore store;
  Revision seen{};
  int wakes = 0;
  const auto hungry = store.Subscribe([&](Revision) {
    if (++wakes == 1) throw std::bad_alloc();
  });
  const auto other = store.Subscribe([&](Revision newest) { seen = newest; });
  EXPECT_EQ(seen, Do(store, PutOf("k", "v")).revision);
  EXPECT_EQ(seen, Do(store, DeleteOf("absent")).revision) << "changes nothing";
  EXPECT_EQ(wakes, 2) << "once more, for the commit before";
}

}  // namespace
}  // namespace dray::store
