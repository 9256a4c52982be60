// SPDX-License-Identifier: Apache-2.0
#include "net/request_tracker.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "net/http.h"
#include "net/testing/http2_engine.h"
#include "net/testing/http2_peer.h"
#include "net/unsent_answers.h"

namespace dray::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RequestTrackerTest : public ::testing::Test {
 protected:
  TrackedRequest Begin(RequestProgress progress = RequestProgress::kDeciding,
                       std::string target = "/") {
    Request head{.method = "GET", .target = std::move(target)};
    head.headers.Add("User-Agent", "agent/1");
    head.peer = peer_;
    return tracker_->Begin(head, progress);
  }
  /// The lines of a tick.
  std::vector<std::string> Tick() {
    lines_.clear();
    tracker_->LogLongWaits(log_);
    return lines_;
  }
  void Advance(std::chrono::nanoseconds by) { clock_.Advance(by); }
  auto age() const { return tracker_->waits().oldest_age; }
  uint64_t answers_waited() const { return tracker_->waits().answers_waited_for_peer; }

  SimulatedClock clock_;
  std::vector<std::string> lines_;
  Log log_{clock_, [this](std::string_view line) { lines_.emplace_back(line); }, {}};
  const std::shared_ptr<const Peer> peer_ =
      std::make_shared<Peer>(Peer{.address = "127.0.0.1:40112"});
  const std::shared_ptr<RequestTracker> tracker_ = std::make_shared<RequestTracker>(clock_);
};

TEST_F(RequestTrackerTest, TheAgeIsThatOfTheOldestRequest) {
  EXPECT_EQ(age(), seconds(0)) << "there is none";
  TrackedRequest first = Begin();
  Advance(seconds(3));
  TrackedRequest second = Begin();
  Advance(seconds(1));
  EXPECT_EQ(age(), seconds(4));
  first.End();
  EXPECT_EQ(age(), seconds(1));
  TrackedRequest moved = std::move(second);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(age(), seconds(1));
  moved = TrackedRequest();
  EXPECT_EQ(age(), seconds(0));
}

TEST_F(RequestTrackerTest, AYoungerRequestThatEndsChangesNothing) {
  const TrackedRequest first = Begin();
  Advance(seconds(2));
  Begin().End();
  EXPECT_EQ(age(), seconds(2));
}

TEST_F(RequestTrackerTest, ALineSaysWhoWaitsForWhat) {
  const std::pair<RequestProgress, const char*> cases[] = {
      {RequestProgress::kReading, "state=\"reading\""},
      {RequestProgress::kDeciding, "state=\"deciding\""},
      {RequestProgress::kWriting, "state=\"writing\""},
      {RequestProgress::kPeerSlow, "state=\"peer slow\""},
  };
  for (const auto& [progress, words] : cases) {
    TrackedRequest request = Begin(RequestProgress::kDeciding, "/api/v1/pods?limit=500");
    request.Set(progress);
    Advance(kLongWait + milliseconds(240));
    EXPECT_THAT(Tick(),
                ElementsAre(AllOf(HasSubstr("\"request waits\" method=\"GET\" "
                                            "path=\"/api/v1/pods?limit=500\" agent=\"agent/1\" "
                                            "peer=\"127.0.0.1:40112\" seconds=10.2 "),
                                  HasSubstr(words),
                                  ::testing::StartsWith("W"))));
    Advance(kWaitLinesInterval);
  }
}

TEST_F(RequestTrackerTest, ARequestIsLoggedAtTheLimitsOnceEach) {
  const TrackedRequest request = Begin();
  Advance(kLongWait - milliseconds(1));
  EXPECT_THAT(Tick(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Tick(), SizeIs(1));
  Advance(kVeryLongWait - kLongWait - milliseconds(1));
  EXPECT_THAT(Tick(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("seconds=60 ")));
  Advance(kVeryLongWait);
  EXPECT_THAT(Tick(), IsEmpty());
}

TEST_F(RequestTrackerTest, ATickThatComesLateLogsARequestOnce) {
  const TrackedRequest request = Begin();
  Advance(kVeryLongWait);
  EXPECT_THAT(Tick(), SizeIs(1));
  EXPECT_THAT(Tick(), IsEmpty());
}

TEST_F(RequestTrackerTest, LinesOfAnIntervalAreBoundedAndTheRestCounted) {
  std::vector<TrackedRequest> requests;
  requests.reserve(3 * kWaitLinesMax);
  for (size_t i = 0; i < kWaitLinesMax; ++i) requests.push_back(Begin());
  Advance(kLongWait);
  EXPECT_THAT(Tick(), SizeIs(kWaitLinesMax)) << "at the limit";
  Advance(kWaitLinesInterval);
  EXPECT_THAT(Tick(), IsEmpty()) << "none was left out";

  for (size_t i = 0; i < kWaitLinesMax + 2; ++i) requests.push_back(Begin());
  Advance(kLongWait);
  EXPECT_THAT(Tick(), AllOf(SizeIs(kWaitLinesMax), Each(HasSubstr("\"request waits\""))));
  EXPECT_THAT(Tick(), IsEmpty());
  Advance(kWaitLinesInterval);
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("\"more requests wait\" requests=2")));
  EXPECT_THAT(Tick(), IsEmpty());
}

TEST_F(RequestTrackerTest, TextsOfClientsAreCut) {
  const std::string at_limit(kTrackedTargetBytesMax, 'x');
  const TrackedRequest fits = Begin(RequestProgress::kReading, at_limit);
  const TrackedRequest is_cut = Begin(RequestProgress::kReading, at_limit + "y");
  Advance(kLongWait);
  EXPECT_THAT(Tick(),
              ElementsAre(HasSubstr("\"" + at_limit + "\""), HasSubstr("\"" + at_limit + "…\"")));
}

TEST_F(RequestTrackerTest, AnAnswerWaitsForItsPeerOnce) {
  TrackedRequest request = Begin();
  request.Set(RequestProgress::kPeerSlow);
  request.Set(RequestProgress::kWriting);
  request.Set(RequestProgress::kPeerSlow);
  EXPECT_EQ(answers_waited(), 1U);
  request.End();
  Begin().Set(RequestProgress::kPeerSlow);  // an entry that was used before
  EXPECT_EQ(answers_waited(), 2U);
}

TEST_F(RequestTrackerTest, EntriesBeyondTheSpareOnesAreFreed) {
  std::vector<TrackedRequest> requests;
  requests.reserve(2 * kSpareEntriesMax);
  for (size_t i = 0; i < 2 * kSpareEntriesMax; ++i) requests.push_back(Begin());
  requests.clear();
  EXPECT_EQ(age(), seconds(0));
  const TrackedRequest again = Begin();
  Advance(seconds(1));
  EXPECT_EQ(age(), seconds(1));
}

using UnsentAnswersTest = RequestTrackerTest;

TEST_F(UnsentAnswersTest, AnAnswerEndsWithItsLastByte) {
  UnsentAnswers unsent;
  unsent.Add(1, Begin());
  Advance(seconds(1));
  unsent.Add(2, Begin());
  unsent.EndOutput(1, 100);
  unsent.EndOutput(2, 150);
  Advance(seconds(1));
  unsent.OnConsumed(99);
  EXPECT_EQ(age(), seconds(2));
  unsent.OnConsumed(1);
  EXPECT_EQ(age(), seconds(1));
  unsent.OnConsumed(50);
  EXPECT_EQ(age(), seconds(0));
  EXPECT_EQ(unsent.held_bytes(), 0U);
  EXPECT_EQ(answers_waited(), 0U);
}

TEST_F(UnsentAnswersTest, AStreamThatClosesEndsWhatWasNotProduced) {
  UnsentAnswers unsent;
  unsent.Add(1, Begin());
  unsent.OnClosed(1);
  Advance(seconds(1));
  EXPECT_EQ(age(), seconds(0));
  unsent.Add(3, Begin());
  unsent.EndOutput(3, 10);
  unsent.OnClosed(3);
  Advance(seconds(1));
  EXPECT_EQ(age(), seconds(1)) << "its bytes are still to be sent";
}

TEST_F(UnsentAnswersTest, AFullSocketHoldsAllAndAShutWindowOnlyThoseThatNeedIt) {
  UnsentAnswers unsent;
  unsent.Add(1, Begin());
  unsent.EndOutput(1, 10);
  unsent.Add(3, Begin());
  unsent.OnWindowsShut();
  EXPECT_EQ(answers_waited(), 1U);
  unsent.OnSocketFull();
  EXPECT_EQ(answers_waited(), 2U);
  unsent.Add(5, Begin());
  EXPECT_EQ(answers_waited(), 3U) << "the socket is full before it is ready";
  unsent.OnConsumed(1);
  unsent.Add(7, Begin());
  EXPECT_EQ(answers_waited(), 3U);
}

TEST_F(UnsentAnswersTest, ASocketIsNotFullForEver) {
  UnsentAnswers unsent;
  unsent.OnSocketFull();  // a watch holds it
  unsent.OnConsumed(1);
  unsent.Add(1, Begin());
  EXPECT_EQ(answers_waited(), 0U);
}

// The engine of HTTP/2: its answers wait for windows as well.
class TrackedHttp2Test : public RequestTrackerTest {
 protected:
  testing::Served served_{false, {}, nullptr, tracker_};
  testing::Http2Peer client_{{.stream_window = 1000}};
};

TEST_F(TrackedHttp2Test, ARequestGoesThroughItsStates) {
  const int32_t id = client_.Ask("POST", "/", {{"content-length", "5"}}, "hello");
  const std::string bytes = client_.Take();
  served_.engine.Feed(std::string_view(bytes).substr(0, bytes.size() - 1));
  Advance(kLongWait);
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("reading")));
  served_.engine.Reset(static_cast<StreamId>(id));
  served_.engine.Feed(std::string_view(bytes).substr(bytes.size() - 1));
  testing::Settle(served_, client_);
  EXPECT_EQ(age(), seconds(0));

  const int32_t second = client_.Ask("GET", "/");
  testing::Settle(served_, client_);
  Advance(kLongWait);
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("deciding")));
  served_.engine.Respond(static_cast<StreamId>(second), {}, Bytes("ok"));
  EXPECT_EQ(age(), kLongWait) << "nothing is sent yet";
  testing::Settle(served_, client_);
  EXPECT_EQ(age(), seconds(0));
  EXPECT_EQ(answers_waited(), 0U);
}

TEST_F(TrackedHttp2Test, AnAnswerLargerThanTheWindowWaitsForThePeer) {
  const auto id = static_cast<StreamId>(client_.Ask("GET", "/"));
  testing::Settle(served_, client_);
  served_.engine.Respond(id, {}, Bytes(std::string(10'000, 'x')));
  const std::string part = served_.Take();
  EXPECT_EQ(answers_waited(), 1U);
  Advance(kLongWait);
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("peer slow")));
  ASSERT_TRUE(client_.Feed(part));
  testing::Settle(served_, client_);
  EXPECT_EQ(client_.answer(static_cast<int32_t>(id)).body.size(), 10'000U);
  EXPECT_EQ(age(), seconds(0));
  EXPECT_EQ(served_.engine.held_bytes(), std::string().capacity());
}

TEST_F(TrackedHttp2Test, TheSocketHoldsBytesOfAStreamThatHasClosed) {
  const auto id = static_cast<StreamId>(client_.Ask("GET", "/"));
  testing::Settle(served_, client_);
  served_.engine.Respond(id, {}, Bytes("ok"));
  char out[16'384];
  const size_t size = served_.engine.Peek(out);
  served_.engine.OnSocketFull();
  Advance(kLongWait);
  EXPECT_THAT(Tick(), ElementsAre(HasSubstr("peer slow")));
  served_.engine.Consume(size);
  EXPECT_EQ(served_.engine.Peek(out), 0U);
  EXPECT_EQ(age(), seconds(0));
}

TEST_F(TrackedHttp2Test, WhatLastsIsNotUnderWay) {
  const auto watch = static_cast<StreamId>(client_.Ask("GET", "/watch"));
  const auto profile = static_cast<StreamId>(client_.Ask("GET", "/profile"));
  testing::Settle(served_, client_);
  served_.engine.Start(watch, {});
  served_.engine.MarkLongRunning(profile);
  Advance(kLongWait);
  EXPECT_EQ(age(), seconds(0));
  EXPECT_THAT(Tick(), IsEmpty());
}

}  // namespace
}  // namespace dray::net
