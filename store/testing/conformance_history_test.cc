// SPDX-License-Identifier: Apache-2.0
// Snapshots, older revisions, following by cursor, wakes, expiry and compaction.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_P(StoreReading, SnapshotsStayAsTheyWere) {
  const auto store = Open();
  const Frozen<Snapshot> empty = store->Read();
  Do(*store, PutOf("k", "a"));
  const Frozen<Snapshot> first = store->Read();
  Do(*store, DeleteOf("k"));
  EXPECT_EQ(empty->size(), 0U);
  EXPECT_EQ(Text(*first->Find("k")), "k=a@2/2/1");
  EXPECT_EQ(store->Read()->Find("k"), nullptr);
}

TEST_P(StoreReading, RangesFollowKeysBytewise) {
  const auto store = Open();
  for (const char* key : {"/p/b", "/p/a", "/p/a-", "/p/a/x", "/o/z", "/q", "/p/\xff"}) {
    Do(*store, PutOf(key, ""));
  }
  const Frozen<Snapshot> snapshot = store->Read();
  const auto keys = [&](KeyRange range, size_t limit) {
    std::vector<std::string> found;
    for (const Record& record : snapshot->Range(range, limit)) found.emplace_back(record.key());
    return found;
  };
  EXPECT_THAT(keys({.prefix = "/p/"}, 9),
              ElementsAre("/p/a", "/p/a-", "/p/a/x", "/p/b", "/p/\xff"));
  EXPECT_THAT(keys({.prefix = "/p/a"}, 9), ElementsAre("/p/a", "/p/a-", "/p/a/x"));
  EXPECT_THAT(keys({.prefix = "/p/"}, 2), ElementsAre("/p/a", "/p/a-"));
  EXPECT_THAT(keys({.prefix = "/p/", .start_key = std::string_view("/p/a-\0", 6)}, 2),
              ElementsAre("/p/a/x", "/p/b"));
  EXPECT_THAT(keys({.prefix = "/p/", .start_key = "/a"}, 1), ElementsAre("/p/a"));
  EXPECT_THAT(keys({.prefix = "/p/", .start_key = "/q"}, 9), IsEmpty());
  EXPECT_THAT(keys({.prefix = "/p/\xff"}, 9), ElementsAre("/p/\xff"));
  EXPECT_THAT(keys({.prefix = "\xff"}, 9), IsEmpty());
  EXPECT_EQ(snapshot->Count({}), 7U);
  EXPECT_EQ(snapshot->Count({.prefix = "/p/", .start_key = "/p/b"}), 2U);
}

TEST_P(StoreReading, EveryRevisionOfTheWindowCanBeRead) {
  const auto store = Open();
  for (int i = 2; i <= 700; ++i) Do(*store, PutOf("k" + std::to_string(i % 7), std::to_string(i)));
  for (int64_t i = 2; i <= 700; ++i) {
    const Result<Frozen<Snapshot>> then = store->ReadAt(Revision{i});
    ASSERT_TRUE(then.has_value());
    EXPECT_EQ((*then)->revision(), Revision{i});
    EXPECT_EQ((*then)->Find("k" + std::to_string(i % 7))->value->bytes(), std::to_string(i));
    EXPECT_EQ((*then)->size(), static_cast<size_t>(std::min<int64_t>(i - 1, 7)));
  }
  EXPECT_EQ((*store->ReadAt(Revision{1}))->size(), 0U);
}

TEST_P(StoreReading, TheFutureIsATimeoutAndNamesBothRevisions) {
  const auto store = Open();
  const Result<Frozen<Snapshot>> future = store->ReadAt(Revision{17});
  ASSERT_FALSE(future.has_value());
  EXPECT_EQ(future.error().reason, StatusReason::kTimeout);
  EXPECT_THAT(future.error().message, HasSubstr("17"));
  EXPECT_THAT(future.error().message, HasSubstr(" 1"));
  EXPECT_EQ(store->Compact(Revision{2}).error().reason, StatusReason::kTimeout);
}

TEST_P(StoreReading, CompactionMovesTheFloorAndNothingElse) {
  const auto store = Open();
  for (int i = 0; i < 5; ++i) Do(*store, PutOf("k", std::to_string(i)));
  Do(*store, PutOf("old", "x"));  // revision 7
  const Frozen<Snapshot> held = *store->ReadAt(Revision{3});
  ASSERT_TRUE(store->Compact(Revision{4}).has_value());
  EXPECT_EQ(store->status().floor, Revision{4});
  const Result<Frozen<Snapshot>> gone = store->ReadAt(Revision{3});
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().reason, StatusReason::kExpired);
  EXPECT_THAT(gone.error().message, HasSubstr("oldest kept is 4"));
  EXPECT_EQ(Text(*(*store->ReadAt(Revision{4}))->Find("k")), "k=2@2/4/3");
  EXPECT_EQ(store->EventsAfter(Revision{3}, "", 9).error().reason, StatusReason::kExpired);
  EXPECT_THAT(Texts(*store->EventsAfter(Revision{4}, "", 9)),
              ElementsAre("~k=3@2/5/4", "~k=4@2/6/5", "+old=x@7/7/1"));
  EXPECT_EQ(Text(*held->Find("k")), "k=1@2/3/2") << "a held snapshot outlives compaction";
  ASSERT_TRUE(store->Compact(Revision{2}).has_value()) << "lower changes nothing";
  EXPECT_EQ(store->status().floor, Revision{4});
  ASSERT_TRUE(store->Compact(Revision{7}).has_value());
  EXPECT_EQ(store->status().events, 0U);
  EXPECT_EQ(store->Read()->size(), 2U) << "live records stay";
  EXPECT_EQ((*store->ReadAt(Revision{7}))->size(), 2U);
  EXPECT_EQ(store->EventsAfter(Revision{7}, "", 9)->through, Revision{7});
}

TEST_P(StoreWatching, EventsCarryWhatTheKeyHeldBefore) {
  const auto store = Open();
  Do(*store, PutOf("/r/pods/a", "1"));
  Do(*store, PutOf("/r/pods/a", "2"));
  Do(*store, DeleteOf("/r/pods/a"));
  const Batch batch = *store->EventsAfter(Revision{1}, "/r/pods/", 10);
  EXPECT_THAT(Texts(batch),
              ElementsAre("+/r/pods/a=1@2/2/1", "~/r/pods/a=2@2/3/2", "-/r/pods/a=2@2/4/2"));
  EXPECT_EQ(batch.events[0]->previous, nullptr);
  EXPECT_EQ(Text(*batch.events[1]->previous), "/r/pods/a=1@2/2/1");
  EXPECT_EQ(Text(*batch.events[2]->previous), "/r/pods/a=2@2/3/2");
}

TEST_P(StoreWatching, AQuietPrefixAdvancesToTheNewestRevision) {
  const auto store = Open();
  Do(*store, PutOf("/r/pods/a", "1"));
  for (int i = 0; i < 10; ++i) Do(*store, PutOf("/r/leases/l", std::to_string(i)));
  const Batch quiet = *store->EventsAfter(Revision{2}, "/r/pods/", 10);
  EXPECT_THAT(quiet.events, IsEmpty());
  EXPECT_EQ(quiet.through, Revision{12});
  EXPECT_EQ(store->EventsAfter(Revision{1}, "/r/pods/", 10)->through, Revision{12});
  EXPECT_EQ(store->EventsAfter(Revision{1}, "/r/never/", 10)->through, Revision{12});
}

TEST_P(StoreWatching, PrefixesNeedNotBeGroups) {
  const auto store = Open();
  for (const char* key : {"/r/pods/x/a", "/r/pods/y/b", "/r/pod", "/r/podtemplates/x/c", "k"}) {
    Do(*store, PutOf(key, ""));
  }
  const auto found = [&](std::string_view prefix) {
    std::vector<std::string> keys;
    const Batch batch = *store->EventsAfter(Revision{1}, prefix, 10);
    for (const Frozen<Event>& event : batch.events) keys.emplace_back(event->record->key());
    return keys;
  };
  EXPECT_THAT(found("/r/pods/x/"), ElementsAre("/r/pods/x/a"));
  EXPECT_THAT(found("/r/pods/x/a"), ElementsAre("/r/pods/x/a"));
  EXPECT_THAT(found("/r/pods"), ElementsAre("/r/pods/x/a", "/r/pods/y/b"));
  EXPECT_THAT(found("/r/pod"),
              ElementsAre("/r/pods/x/a", "/r/pods/y/b", "/r/pod", "/r/podtemplates/x/c"));
  EXPECT_THAT(found("k"), ElementsAre("k"));
  EXPECT_EQ(found("").size(), 5U);
}

TEST_P(StoreWatching, ARevisionIsNeverSplit) {
  const auto store = Open();
  const auto put_three = [&](const std::string& value) {
    Txn txn;
    for (const char* key : {"/r/pods/c", "/r/pods/a", "/r/pods/b"}) {
      txn.operations.emplace_back(Put{.key = key, .value = Bytes(value)});
    }
    Do(*store, std::move(txn));
  };
  put_three("1");
  Do(*store, PutOf("/r/pods/d", "2"));
  put_three("3");
  struct Case {
    int64_t after;
    size_t max;
    size_t events;
    int64_t through;
  };
  for (const Case& each : {Case{1, 0, 3, 2},
                           Case{1, 1, 3, 2},
                           Case{1, 3, 3, 2},
                           Case{1, 4, 4, 3},
                           Case{1, 6, 4, 3},
                           Case{1, 7, 7, 4},
                           Case{2, 1, 1, 3},
                           Case{3, 2, 3, 4}}) {
    SCOPED_TRACE(::testing::Message() << "after " << each.after << " max " << each.max);
    const Batch batch = *store->EventsAfter(Revision{each.after}, "/r/pods/", each.max);
    EXPECT_EQ(batch.events.size(), each.events);
    EXPECT_EQ(batch.through, Revision{each.through});
  }
  const Batch first = *store->EventsAfter(Revision{1}, "/r/pods/", 1);
  EXPECT_EQ(first.events[0]->record->key(), "/r/pods/c") << "in the order of the transaction";
}

TEST_P(StoreWatching, FromTheFutureThereIsNothingAndTheCursorStays) {
  const auto store = Open();
  Do(*store, PutOf("/r/pods/a", "1"));
  const Batch batch = *store->EventsAfter(Revision{50}, "/r/pods/", 10);
  EXPECT_THAT(batch.events, IsEmpty());
  EXPECT_EQ(batch.through, Revision{50});
}

TEST_P(StoreWatching, ASparsePrefixAdvancesInBoundedSteps) {
  const auto store = Open();
  const size_t foreign = kEventsExaminedMax + 10;
  for (size_t i = 0; i < foreign; ++i) Do(*store, PutOf("/r/pods/x/a", ""));
  Do(*store, PutOf("/r/pods/y/a", "found"));
  Batch batch = *store->EventsAfter(Revision{1}, "/r/pods/y/", 10);
  EXPECT_THAT(batch.events, IsEmpty());
  EXPECT_GT(batch.through, Revision{1});
  EXPECT_LT(batch.through, store->Read()->revision());
  batch = *store->EventsAfter(batch.through, "/r/pods/y/", 10);
  EXPECT_EQ(batch.events.size(), 1U);
  EXPECT_EQ(batch.through, store->Read()->revision());
}

TEST_P(StoreWatching, WakesAnnounceWhatCanBeReadAndFollowed) {
  const auto store = Open();
  Do(*store, PutOf("k", "before"));
  std::vector<int64_t> woken;
  std::vector<size_t> events;
  Subscription subscription = *store->Subscribe([&](Revision newest) {
    woken.push_back(newest.value());
    EXPECT_GE(store->Read()->revision(), newest);
    events.push_back(store->EventsAfter(Revision{2}, "", 10)->events.size());
  });
  Do(*store, PutOf("k", "1"));
  Do(*store, {});
  EXPECT_TRUE(Refused(*store, If("k", kAbsent, DeleteOf("k"))).has_value());
  Do(*store, DeleteOf("k"));
  EXPECT_THAT(woken, ElementsAre(3, 4)) << "only what changed something";
  EXPECT_THAT(events, ElementsAre(1, 2));
  subscription.Cancel();
  Do(*store, PutOf("k", "after"));
  EXPECT_EQ(woken.size(), 2U);
}

TEST_P(StoreWatching, ASubscriptionMovesAndEndsWithItsOwner) {
  const auto store = Open();
  int wakes = 0;
  {
    Subscription outer;
    {
      Subscription inner = *store->Subscribe([&](Revision) { ++wakes; });
      outer = std::move(inner);
    }
    Do(*store, PutOf("k", "1"));
    EXPECT_EQ(wakes, 1);
    outer = *store->Subscribe([&](Revision) { wakes += 10; });
    Do(*store, PutOf("k", "2"));
    EXPECT_EQ(wakes, 11) << "the one assigned over has ended";
  }
  EXPECT_EQ(store->status().subscriptions, 0U);
}

constexpr WallTime At(int seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

Txn Expiring(std::string_view key, int seconds) {
  return {.compares = {},
          .operations = {Put{.key = std::string(key), .value = Bytes("e"), .expiry = At(seconds)}}};
}

TEST_P(StoreExpiry, DueRecordsAreDeletedAsUsual) {
  const auto store = Open();
  Do(*store, Expiring("/r/events/b", 20));
  Do(*store, Expiring("/r/events/a", 10));
  Do(*store, PutOf("/r/events/c", "stays"));
  EXPECT_EQ(store->status().next_expiry, At(10));
  EXPECT_EQ(store->ExpireDueAndWait(At(9), 10).value(), 0U);
  EXPECT_EQ(store->Read()->revision(), Revision{4});
  EXPECT_EQ(store->ExpireDueAndWait(At(10), 10).value(), 1U);
  EXPECT_THAT(Texts(*store->EventsAfter(Revision{4}, "/r/events/", 10)),
              ElementsAre("-/r/events/a=e@3/5/1"));
  EXPECT_EQ(store->ExpireDueAndWait(At(1000), 10).value(), 1U);
  EXPECT_EQ(store->Read()->size(), 1U);
  EXPECT_EQ(store->status().next_expiry, std::nullopt);
}

TEST_P(StoreExpiry, EachPutReplacesTheExpiry) {
  const auto store = Open();
  Do(*store, Expiring("renewed", 10));
  Do(*store, Expiring("renewed", 30));
  Do(*store, Expiring("kept", 10));
  Do(*store, PutOf("kept", "forever"));
  Do(*store, Expiring("deleted", 10));
  Do(*store, DeleteOf("deleted"));
  EXPECT_EQ(store->ExpireDueAndWait(At(20), 10).value(), 0U);
  EXPECT_EQ(store->ExpireDueAndWait(At(30), 10).value(), 1U);
  EXPECT_NE(store->Read()->Find("kept"), nullptr);
  EXPECT_EQ(store->Read()->size(), 1U);
}

TEST_P(StoreExpiry, OneCallDeletesTheEarliestUpToItsBound) {
  const auto store = Open();
  const size_t count = kTxnOperationsMax + 3;
  for (size_t i = 0; i < count; ++i) Do(*store, Expiring(std::to_string(i), static_cast<int>(i)));
  EXPECT_EQ(store->ExpireDueAndWait(At(1000), 0).value(), 0U);
  EXPECT_EQ(store->ExpireDueAndWait(At(1000), 2).value(), 2U);
  EXPECT_EQ(store->Read()->Find("1"), nullptr);
  EXPECT_NE(store->Read()->Find("2"), nullptr);
  EXPECT_EQ(store->ExpireDueAndWait(At(1000), count).value(), kTxnOperationsMax);
  EXPECT_EQ(store->ExpireDueAndWait(At(1000), count).value(), 1U);
}

}  // namespace
}  // namespace dray::store::testing
