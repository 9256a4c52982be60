// SPDX-License-Identifier: Apache-2.0
// Cases that the conformance suite cannot produce: revisions with gaps, and a lost history.
#include "store/history.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/testing/conformance.h"
#include "store/tree.h"

namespace dray::store {
namespace {

using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;

Frozen<Snapshot> EmptyAt(int64_t revision) {
  return std::make_shared<const Snapshot>(Revision{revision}, Tree());
}

/// Writes `key` at `revision`, whatever the revision before it was.
void Write(History& history, std::string_view key, int64_t revision) {
  const Frozen<Snapshot> before = history.newest();
  const Frozen<Record> previous = before->Get(key);
  const Frozen<Record> record =
      MakeRecord({.key = key,
                  .value = Bytes(std::to_string(revision)),
                  .created = previous == nullptr ? Revision{revision} : previous->created,
                  .modified = Revision{revision},
                  .version = previous == nullptr ? 1 : previous->version() + 1});
  history.Publish(
      {.next = std::make_shared<const Snapshot>(Revision{revision}, before->tree().Put(record)),
       .events = {std::make_shared<const Event>(
           Event{.type = Event::Type::kPut, .record = record, .previous = previous})},
       .committed = {}});
}

std::vector<std::string> At(const History& history, int64_t revision) {
  const Result<Frozen<Snapshot>> then = history.ReadAt(Revision{revision});
  if (!then.has_value()) return {std::string(ReasonName(then.error().reason))};
  EXPECT_EQ((*then)->revision(), Revision{revision});
  return Texts((*then)->Range({}));
}

TEST(HistoryGaps, ARevisionInAGapReadsAsTheOneBeforeIt) {
  History history({}, EmptyAt(10));
  Write(history, "/r/pods/a", 15);
  Write(history, "/r/pods/a", 20);
  history.Advance(Revision{30});
  EXPECT_THAT(At(history, 9), ElementsAre("Expired"));
  EXPECT_THAT(At(history, 10), IsEmpty());
  EXPECT_THAT(At(history, 14), IsEmpty());
  EXPECT_THAT(At(history, 15), ElementsAre("/r/pods/a=15@15/15/1"));
  EXPECT_THAT(At(history, 19), ElementsAre("/r/pods/a=15@15/15/1"));
  for (const int64_t later : {20, 25, 30}) {
    EXPECT_THAT(At(history, later), ElementsAre("/r/pods/a=20@15/20/2"));
  }
  EXPECT_THAT(At(history, 31), ElementsAre("Timeout"));
}

TEST(HistoryGaps, EveryRevisionReadsRightAcrossAnchors) {
  History history({}, EmptyAt(1));
  const int64_t last = 1 + 3 * 3 * static_cast<int64_t>(History::kAnchorSpacing);
  for (int64_t revision = 4; revision <= last; revision += 3) Write(history, "k", revision);
  history.Advance(Revision{last + 2});
  for (int64_t revision = 4; revision <= last + 2; ++revision) {
    const int64_t written = revision - (revision - 1) % 3;
    const Result<Frozen<Snapshot>> then = history.ReadAt(Revision{revision});
    ASSERT_TRUE(then.has_value());
    ASSERT_EQ((*then)->revision(), Revision{revision});
    ASSERT_EQ((*then)->Find("k")->modified, Revision{written});
  }
}

TEST(HistoryGaps, SoManyRebuiltSnapshotsAreRemembered) {
  for (const size_t others : {History::kRebuiltMax - 1, History::kRebuiltMax}) {
    History history({}, EmptyAt(1));
    Write(history, "k", 1000);
    const Frozen<Snapshot> first = *history.ReadAt(Revision{2});
    for (size_t i = 0; i < others; ++i) {
      ASSERT_TRUE(history.ReadAt(Revision{3 + static_cast<int64_t>(i)}).has_value());
    }
    const Frozen<Snapshot> again = *history.ReadAt(Revision{2});
    EXPECT_EQ(again->revision(), Revision{2});
    EXPECT_EQ(again == first, others < History::kRebuiltMax);
  }
}

TEST(HistoryGaps, CursorsMoveOnWithoutEvents) {
  History history({}, EmptyAt(10));
  Write(history, "/r/pods/a", 15);
  history.Advance(Revision{30});
  history.Advance(Revision{20});
  EXPECT_EQ(history.newest()->revision(), Revision{30}) << "lower has no effect";
  EXPECT_EQ(history.newest_event(), Revision{30});
  for (const int64_t after : {15, 17, 30}) {
    const Batch batch = *history.EventsAfter(Revision{after}, "/r/pods/", 9);
    EXPECT_THAT(batch.events, IsEmpty());
    EXPECT_EQ(batch.through, Revision{30});
  }
  const Batch batch = *history.EventsAfter(Revision{12}, "/r/pods/", 9);
  EXPECT_THAT(Texts(batch), ElementsAre("+/r/pods/a=15@15/15/1"));
  EXPECT_EQ(batch.through, Revision{30});
  EXPECT_EQ(history.EventsAfter(Revision{12}, "/r/none/", 9)->through, Revision{30});
}

TEST(HistoryGaps, LimitsAndCompactionCountEventsNotRevisions) {
  History history({.events_max = 2}, EmptyAt(10));
  for (const int64_t revision : {20, 30, 40}) Write(history, "/r/pods/a", revision);
  EXPECT_THAT(At(history, 19), ElementsAre("Expired"));
  EXPECT_THAT(At(history, 20), ElementsAre("/r/pods/a=20@20/20/1"));
  EXPECT_THAT(At(history, 29), ElementsAre("/r/pods/a=20@20/20/1"));
  ASSERT_TRUE(history.Compact(Revision{35}).has_value());
  EXPECT_THAT(At(history, 34), ElementsAre("Expired"));
  EXPECT_THAT(At(history, 35), ElementsAre("/r/pods/a=30@20/30/2"));
  EXPECT_THAT(Texts(*history.EventsAfter(Revision{35}, "", 9)),
              ElementsAre("~/r/pods/a=40@20/40/3"));
}

TEST(HistoryRestart, WhatWasNotSeenIsExpiredForEverybody) {
  History history({}, EmptyAt(10));
  Write(history, "/r/pods/a", 15);
  EXPECT_THAT(At(history, 12), IsEmpty()) << "and is remembered";
  history.Restart(EmptyAt(40));
  EXPECT_EQ(history.newest()->revision(), Revision{40});
  for (const int64_t before : {12, 15, 20, 39}) {
    EXPECT_THAT(At(history, before), ElementsAre("Expired"));
    EXPECT_EQ(history.EventsAfter(Revision{before}, "/r/pods/", 9).error().reason,
              StatusReason::kExpired);
  }
  EXPECT_THAT(At(history, 40), IsEmpty());
  Write(history, "/r/pods/b", 41);
  EXPECT_THAT(Texts(*history.EventsAfter(Revision{40}, "", 9)),
              ElementsAre("+/r/pods/b=41@41/41/1"));
  Status status;
  history.AddTo(status);
  EXPECT_EQ(status.floor, Revision{40});
  EXPECT_EQ(status.events, 1U);
}

/// The answers of `history` for the revisions from `floor` on.
std::vector<std::string> Everything(const History& history, Revision floor) {
  std::vector<std::string> answers;
  for (int64_t i = floor.value() - 1; i <= history.newest()->revision().value(); ++i) {
    for (std::string& text : At(history, i)) answers.push_back(std::move(text));
    const Result<Batch> batch = history.EventsAfter(Revision{i}, "", 3);
    if (!batch.has_value()) continue;
    for (std::string& text : Texts(*batch)) answers.push_back(std::move(text));
  }
  return answers;
}

TEST(HistoryRecovered, AnswersAsTheOneThatWasWritten) {
  for (const int64_t count : {0, 1, 255, 256, 257, 700}) {
    History written({}, EmptyAt(1));
    for (int64_t i = 2; i < count + 2; ++i) Write(written, "k" + std::to_string(i % 9), i);
    ASSERT_TRUE(written.Compact(Revision{count / 3 + 1}).has_value());
    const Revision floor{count / 3 + 1};
    const std::vector<Frozen<Event>> events = written.EventsAfter(floor, "", 1000)->events;
    const History recovered({}, written.newest(), floor, events);
    EXPECT_EQ(Everything(recovered, floor), Everything(written, floor));
    Status status;
    recovered.AddTo(status);
    EXPECT_EQ(status.floor, floor);
    EXPECT_EQ(status.events, events.size());
  }
}

TEST(HistoryRecovered, LimitsRaiseTheFloor) {
  History written({}, EmptyAt(1));
  for (int64_t i = 2; i <= 600; ++i) Write(written, "k" + std::to_string(i % 9), i);
  const std::vector<Frozen<Event>> events = written.EventsAfter(Revision{1}, "", 1000)->events;
  const History recovered({.events_max = 10}, written.newest(), Revision{1}, events);
  EXPECT_THAT(At(recovered, 589), ElementsAre("Expired"));
  EXPECT_EQ(At(recovered, 590), At(written, 590));
}

}  // namespace
}  // namespace dray::store
