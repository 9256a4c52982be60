// SPDX-License-Identifier: Apache-2.0
// Transactions: their effects and refusals.
#include <array>
#include <cstddef>
#include <future>
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
#include "store/event_ring.h"
#include "store/record.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_P(StoreCommit, AnEmptyStoreIsAtRevisionOne) {
  const auto store = Open();
  EXPECT_EQ(store->Read()->revision(), Revision{1});
  EXPECT_EQ(store->Read()->size(), 0U);
  EXPECT_EQ(store->status().newest, kFirstRevision);
  EXPECT_EQ(store->status().floor, kFirstRevision);
}

TEST_P(StoreCommit, RevisionsAscendOverAllKeys) {
  const auto store = Open();
  EXPECT_EQ(Do(*store, PutOf("/a/b/1", "x")).revision, Revision{2});
  EXPECT_EQ(Do(*store, PutOf("/a/c/1", "y")).revision, Revision{3});
  EXPECT_EQ(Do(*store, DeleteOf("/a/b/1")).revision, Revision{4});
  EXPECT_THAT(Texts(store->Read()->Range({})), ElementsAre("/a/c/1=y@3/3/1"));
}

TEST_P(StoreCommit, RecordsCountTheirLife) {
  const auto store = Open();
  Do(*store, PutOf("k", "a"));
  Do(*store, PutOf("k", "b"));
  EXPECT_EQ(Text(*store->Read()->Find("k")), "k=b@2/3/2");
  Do(*store, DeleteOf("k"));
  Do(*store, PutOf("k", "c"));
  EXPECT_EQ(Text(*store->Read()->Find("k")), "k=c@5/5/1") << "a new life begins anew";
}

TEST_P(StoreCommit, SeveralKeysShareOneRevision) {
  const auto store = Open();
  Do(*store, PutOf("gone", "x"));
  const Committed committed = Do(*store,
                                 {.compares = {},
                                  .operations = {Put{.key = "b", .value = Bytes("1")},
                                                 Delete{.key = "gone"},
                                                 Delete{.key = "never"},
                                                 Put{.key = "a", .value = Bytes("2")}}});
  EXPECT_EQ(committed.revision, Revision{3});
  ASSERT_EQ(committed.records.size(), 4U);
  EXPECT_EQ(Text(*committed.records[0]), "b=1@3/3/1");
  EXPECT_EQ(Text(*committed.records[1]), "gone=x@2/3/1") << "the last record, at its deletion";
  EXPECT_EQ(committed.records[2], nullptr);
  EXPECT_EQ(Text(*committed.records[3]), "a=2@3/3/1");
  EXPECT_THAT(Texts(store->Read()->Range({})), ElementsAre("a=2@3/3/1", "b=1@3/3/1"));
}

TEST_P(StoreCommit, WhatChangesNothingTakesNoRevision) {
  const auto store = Open();
  Do(*store, PutOf("k", "a"));
  EXPECT_EQ(Do(*store, {}).revision, Revision{2});
  EXPECT_EQ(Do(*store, DeleteOf("absent")).revision, Revision{2});
  EXPECT_EQ(Do(*store, If("k", Revision{2}, {})).revision, Revision{2});
  EXPECT_EQ(store->Read()->revision(), Revision{2});
  EXPECT_THAT(store->EventsAfter(Revision{2}, "", 10)->events, IsEmpty());
}

TEST_P(StoreCommit, CreationNeedsAbsence) {
  const auto store = Open();
  EXPECT_EQ(Do(*store, If("k", kAbsent, PutOf("k", "a"))).revision, Revision{2});
  const std::optional<Conflict> conflict = Refused(*store, If("k", kAbsent, PutOf("k", "b")));
  ASSERT_TRUE(conflict.has_value());
  EXPECT_EQ(conflict->revision, Revision{2});
  ASSERT_EQ(conflict->mismatches.size(), 1U);
  EXPECT_EQ(conflict->mismatches[0].key, "k");
  EXPECT_EQ(Text(*conflict->mismatches[0].current), "k=a@2/2/1");
}

TEST_P(StoreCommit, UpdateNeedsTheRevisionOfTheRecordNotOfTheStore) {
  const auto store = Open();
  Do(*store, PutOf("k", "a"));
  Do(*store, PutOf("other", "x"));
  EXPECT_TRUE(Refused(*store, If("k", Revision{3}, PutOf("k", "b"))).has_value());
  EXPECT_EQ(Do(*store, If("k", Revision{2}, PutOf("k", "b"))).revision, Revision{4});
  EXPECT_TRUE(Refused(*store, If("k", Revision{2}, DeleteOf("k"))).has_value());
  EXPECT_EQ(Do(*store, If("k", Revision{4}, DeleteOf("k"))).revision, Revision{5});
}

TEST_P(StoreCommit, OfThoseWhoSawTheSameAndHaveTheSameFenceOneCommits) {
  const auto store = Open();
  const Revision seen = store->Read()->revision();
  Do(*store, PutOf("other", "x"));
  EXPECT_EQ(Do(*store, Fenced("device", seen, PutOf("a", "1"))).revision, Revision{3})
      << "what others did without the fence does not matter";
  for (const Revision revision : {seen, Revision{2}}) {
    const std::optional<Conflict> conflict =
        Refused(*store, Fenced("device", revision, PutOf("b", "1")));
    ASSERT_TRUE(conflict.has_value());
    EXPECT_TRUE(conflict->fenced);
    EXPECT_THAT(conflict->mismatches, IsEmpty());
  }
  EXPECT_EQ(store->Read()->Find("b"), nullptr);
  EXPECT_EQ(Do(*store, Fenced("device", Revision{3}, PutOf("b", "1"))).revision, Revision{4});
  EXPECT_EQ(Do(*store, Fenced("another device", seen, PutOf("c", "1"))).revision, Revision{5});
}

TEST_P(StoreCommit, AFenceHoldsAgainstDeletionsAndBesidesCompares) {
  const auto store = Open();
  Do(*store, PutOf("a", "1"));
  Do(*store, Fenced("device", Revision{2}, DeleteOf("a")));
  const Txn txn = Fenced("device", Revision{2}, PutOf("b", "1"));
  const std::optional<Conflict> both = Refused(*store, If("a", Revision{2}, txn));
  ASSERT_TRUE(both.has_value());
  EXPECT_FALSE(both->fenced) << "the compare says more";
  EXPECT_EQ(both->mismatches.at(0).key, "a");
  EXPECT_TRUE(Refused(*store, If("a", kAbsent, txn))->fenced);
}

TEST_P(StoreCommit, AFenceIsNoRecordAndMayBeNamedTwice) {
  const auto store = Open();
  const Txn once = Fenced("device", Revision{1}, PutOf("a", "1"));
  EXPECT_EQ(Do(*store, Fenced("device", Revision{9}, once)).records.size(), 1U);
  EXPECT_THAT(Texts(store->Read()->Range({})), ElementsAre("a=1@2/2/1"));
  EXPECT_EQ(store->EventsAfter(Revision{1}, "", 10)->events.size(), 1U);
  EXPECT_TRUE(Refused(*store, Fenced("device", Revision{9}, once))->fenced) << "the least counts";
}

TEST_P(StoreCommit, AConflictNamesEveryMismatchAndChangesNothing) {
  const auto store = Open();
  Do(*store, PutOf("a", "1"));
  Do(*store, PutOf("b", "1"));
  const std::optional<Conflict> conflict = Refused(
      *store, If("gone", Revision{9}, If("b", Revision{2}, If("a", Revision{2}, PutOf("c", "x")))));
  ASSERT_TRUE(conflict.has_value());
  ASSERT_EQ(conflict->mismatches.size(), 2U);
  EXPECT_EQ(Text(*conflict->mismatches[0].current), "b=1@3/3/1");
  EXPECT_EQ(conflict->mismatches[1].key, "gone");
  EXPECT_EQ(conflict->mismatches[1].current, nullptr);
  EXPECT_EQ(store->Read()->revision(), Revision{3});
  EXPECT_EQ(store->Read()->Find("c"), nullptr);
}

TEST_P(StoreCommit, ACallbackMayCommitAgain) {
  const auto store = Open();
  std::promise<Revision> answer;
  store->Commit(PutOf("a", "1"), [&](const Result<CommitOutcome>& first) {
    EXPECT_EQ(std::get<Committed>(first.value()).revision, Revision{2});
    store->Commit(PutOf("a", "2"), [&](const Result<CommitOutcome>& second) {
      answer.set_value(std::get<Committed>(second.value()).revision);
    });
  });
  EXPECT_EQ(answer.get_future().get(), Revision{3});
}

TEST_P(StoreCommit, SyncAnswersARevisionThatCanBeRead) {
  const auto store = Open();
  Do(*store, PutOf("a", "1"));
  std::promise<Revision> answer;
  store->Sync([&](Result<Revision> revision) { answer.set_value(revision.value()); });
  const Revision synced = answer.get_future().get();
  EXPECT_GE(synced, Revision{2});
  EXPECT_GE(store->Read()->revision(), synced);
}

StatusReason ReasonOf(Store& store, Txn txn) {
  const Result<CommitOutcome> outcome = store.CommitAndWait(std::move(txn));
  return outcome.has_value() ? StatusReason::kUnknown : outcome.error().reason;
}

TEST_P(StoreLimits, KeysValuesAndOperationsHaveAMost) {
  const auto many = [](size_t puts) {
    Txn txn;
    for (size_t i = 0; i < puts; ++i) {
      txn.operations.emplace_back(Put{.key = std::to_string(i), .value = Bytes("")});
    }
    return txn;
  };
  const auto compares = [](size_t count) {
    Txn txn = PutOf("k", "v");
    for (size_t i = 0; i < count; ++i) {
      txn.compares.push_back({.key = "absent" + std::to_string(i), .modified = kAbsent});
    }
    return txn;
  };
  const std::string key(kKeyBytesMax, 'k');
  const std::string largest(GetParam().value_bytes_max, 'v');
  const std::string too_large(kValueBytesMax + 1, 'v');
  const auto fences = [](size_t count) {
    Txn txn = PutOf("k", "v");
    for (size_t i = 0; i < count; ++i) {
      txn = Fenced("d" + std::to_string(i), Revision{1000}, std::move(txn));
    }
    return txn;
  };
  struct Case {
    std::string_view name;
    Txn at_limit;
    Txn past_limit;
  };
  const std::array cases{
      Case{"key", PutOf(key, "v"), PutOf(key + "k", "v")},
      Case{"deleted key", DeleteOf(key), DeleteOf(key + "k")},
      Case{"compared key", If(key + "", Revision{2}, {}), If(key + "k", kAbsent, {})},
      Case{"value", PutOf("k", largest), PutOf("k", too_large)},
      Case{"operations", many(kTxnOperationsMax), many(kTxnOperationsMax + 1)},
      Case{"compares", compares(kTxnOperationsMax), compares(kTxnOperationsMax + 1)},
      Case{"fences", fences(kTxnOperationsMax - 1), fences(kTxnOperationsMax)},
  };
  const auto store = Open();
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(ReasonOf(*store, each.at_limit), StatusReason::kUnknown);
    const Revision before = store->Read()->revision();
    EXPECT_EQ(ReasonOf(*store, each.past_limit), StatusReason::kRequestEntityTooLarge);
    EXPECT_EQ(store->Read()->revision(), before);
  }
}

TEST_P(StoreLimits, MalformedTransactionsAreBadRequests) {
  const auto store = Open();
  EXPECT_EQ(ReasonOf(*store, PutOf("", "v")), StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(*store, If("", kAbsent, PutOf("k", "v"))), StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(*store, {.compares = {}, .operations = {Put{.key = "k", .value = nullptr}}}),
            StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(*store,
                     {.compares = {},
                      .operations = {Put{.key = "k", .value = Bytes("v")}, Delete{.key = "k"}}}),
            StatusReason::kBadRequest);
  EXPECT_EQ(store->Read()->revision(), kFirstRevision);
}

TEST_P(StoreLimits, AFullStoreRefusesGrowthButNotDeletion) {
  const auto store = Open({.live_bytes_max = 10});
  Do(*store, PutOf("a", "1234"));
  Do(*store, PutOf("b", "1234"));
  EXPECT_EQ(store->status().live_bytes, 10U);
  EXPECT_EQ(ReasonOf(*store, PutOf("b", "12345")), StatusReason::kTooManyRequests);
  EXPECT_EQ(ReasonOf(*store, PutOf("c", "")), StatusReason::kTooManyRequests);
  Do(*store, PutOf("b", "4321"));
  Do(*store, PutOf("b", "1"));
  Do(*store, PutOf("b", "1234"));
  Do(*store, DeleteOf("a"));
  Do(*store, PutOf("c", "1234"));
  EXPECT_EQ(store->status().live_bytes, 10U);
}

TEST_P(StoreLimits, SubscriptionsHaveAMost) {
  const auto store = Open({.subscriptions_max = 2});
  Result<Subscription> first = store->Subscribe([](Revision) {});
  const Result<Subscription> second = store->Subscribe([](Revision) {});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(store->status().subscriptions, 2U);
  const Result<Subscription> third = store->Subscribe([](Revision) {});
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().reason, StatusReason::kTooManyRequests);
  first->Cancel();
  EXPECT_TRUE(store->Subscribe([](Revision) {}).has_value());
}

TEST_P(StoreLimits, EventsHaveAMost) {
  const auto store = Open({.events_max = 3});
  for (int i = 0; i < 3; ++i) Do(*store, PutOf("/r/pods/k", std::to_string(i)));
  EXPECT_EQ(store->status().floor, Revision{1});
  EXPECT_EQ(store->EventsAfter(Revision{1}, "", 10)->events.size(), 3U);
  Do(*store, PutOf("/r/pods/k", "3"));
  EXPECT_EQ(store->status().floor, Revision{2});
  const Result<Batch> gone = store->EventsAfter(Revision{1}, "", 10);
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().reason, StatusReason::kExpired);
  EXPECT_THAT(gone.error().message, HasSubstr("revision 1 "));
  EXPECT_THAT(gone.error().message, HasSubstr(" 2"));
  EXPECT_EQ(store->EventsAfter(Revision{2}, "", 10)->events.size(), 3U);
  EXPECT_EQ(store->ReadAt(Revision{1}).error().reason, StatusReason::kExpired);
  EXPECT_EQ(Text(*(*store->ReadAt(Revision{2}))->Find("/r/pods/k")), "/r/pods/k=0@2/2/1");
}

// What is live is not counted with history, so new objects drop no events but by their number.
TEST_P(StoreLimits, EventsCountTheValuesThatTheyEnd) {
  constexpr size_t kNew = EventRing::kEventOverheadBytes;
  constexpr size_t kEnding = kNew + EventRing::kEndedOverheadBytes + 1 + 1000;
  const std::string value(1000, 'v');
  const auto store = Open({.event_bytes_max = 4 * kNew + kEnding});
  for (const char* key : {"a", "b", "c", "d"}) Do(*store, PutOf(key, value));
  EXPECT_EQ(store->status().event_bytes, 4 * kNew);
  Do(*store, PutOf("a", "1"));
  EXPECT_EQ(store->status().event_bytes, 4 * kNew + kEnding);
  EXPECT_EQ(store->status().events, 5U);
  Do(*store, DeleteOf("b"));  // one value too many: all events before it go
  EXPECT_EQ(store->status().event_bytes, kEnding);
  EXPECT_EQ(store->status().events, 1U);
}

TEST_P(StoreLimits, EventBytesHaveAMostButTheNewestRevisionStays) {
  const auto store = Open({.event_bytes_max = 1});
  Do(*store, PutOf("a", "1"));
  Do(*store, PutOf("b", "2"));
  EXPECT_EQ(store->status().events, 1U);
  EXPECT_THAT(Texts(*store->EventsAfter(Revision{2}, "", 10)), ElementsAre("+b=2@3/3/1"));
}

}  // namespace
}  // namespace dray::store::testing
