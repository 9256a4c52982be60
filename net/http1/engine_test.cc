// SPDX-License-Identifier: Apache-2.0
#include "net/http1/engine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/engine.h"
#include "net/head_rules.h"
#include "net/http.h"
#include "net/http1/reader.h"

namespace dray::net::http1 {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr size_t kBodyMax = 1000;

/// An engine whose requests are kept, and answered at once if so wished.
class Harness final : public ServerEngine::Events {
 public:
  explicit Harness(bool answers_at_once = true, std::shared_ptr<ShareBudget> requests = nullptr)
      : answers(answers_at_once),
        engine(*this,
               {.body_bytes_max = kBodyMax, .peer = nullptr, .requests = std::move(requests)}) {}

  HeadVerdict OnHead(Request& head) override {
    if (head.headers.Has("Refused")) return HeadVerdict::kNoRoom;
    if (head.headers.Has("User")) {
      head.sender.owner = std::make_shared<const ShareOwner>(
          ShareOwner{.name = std::string(head.headers.Get("User")), .rank = ShareRank::kUsual});
    }
    return head.headers.Has("Stranger") ? HeadVerdict::kStranger : HeadVerdict::kTaken;
  }
  void OnRequest(StreamId stream, Request request) override {
    newest = stream;
    requests.push_back(std::move(request));
    if (answers) engine.Respond(stream, {.status = 200}, Bytes("ok"));
  }

  /// All output there is, taken in portions of `portion`.
  std::string Take(size_t portion = 7) {
    std::string out;
    std::vector<char> space(portion);
    while (true) {
      const size_t size = engine.Peek(space);
      if (size == 0) return out;
      out.append(space.data(), size);
      engine.Consume(size);
      engine.Feed({});
    }
  }

  const bool answers;
  Engine engine;
  std::vector<Request> requests;
  StreamId newest = 0;
};

constexpr std::string_view kChunkedPost =
    "POST /api?x=1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-A:  v \r\n\r\n"
    "5\r\nhello\r\n1;ext=\"1\"\r\n \r\n00A\r\nwide world\r\n0\r\nTrailer: t\r\n\r\n";

TEST(Engine, ReadsAChunkedPostSplitAnywhere) {
  for (size_t i = 0; i <= kChunkedPost.size(); ++i) {
    for (size_t j = i; j <= kChunkedPost.size(); ++j) {
      Harness harness;
      harness.engine.Feed(kChunkedPost.substr(0, i));
      harness.engine.Feed(kChunkedPost.substr(i, j - i));
      harness.engine.Feed(kChunkedPost.substr(j));
      ASSERT_EQ(harness.requests.size(), 1U) << i << " " << j;
      const Request& request = harness.requests.front();
      ASSERT_EQ(request.method, "POST");
      ASSERT_EQ(request.target, "/api?x=1");
      ASSERT_EQ(request.headers.Get("x-a"), "v");
      ASSERT_EQ(request.body, "hello wide world");
      ASSERT_EQ(harness.engine.phase(), EnginePhase::kIdle);
    }
  }
}

TEST(Engine, EmptyLinesBeforeARequestAreFew) {
  const auto answer = [](int lines) {
    Harness harness;
    for (int i = 0; i < lines; ++i) harness.engine.Feed("\r\n");
    harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    return harness.Take();
  };
  EXPECT_THAT(answer(kLeadingLinesMax), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(kLeadingLinesMax + 1), StartsWith("HTTP/1.1 400 "));
}

TEST(Engine, AnswersWithLengthAndKeepsTheConnection) {
  Harness harness;
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(harness.Take(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_FALSE(harness.engine.wants_close());
  EXPECT_TRUE(harness.engine.wants_read());
}

TEST(Engine, PipelinedRequestsAreAnsweredInOrder) {
  Harness harness(false);
  harness.engine.Feed(
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: "
      "3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
  for (const std::string_view target : {"/1", "/2", "/3"}) {
    ASSERT_EQ(harness.requests.back().target, target);
    harness.engine.Respond(harness.newest, {}, Bytes(std::string(target)));
    EXPECT_THAT(harness.Take(), EndsWith(target));
  }
  EXPECT_EQ(harness.requests.size(), 3U);
  EXPECT_EQ(harness.requests[1].body, "abc");
}

TEST(Engine, ReadingStopsAtTheBoundOfPipelinedInput) {
  Harness harness(false);
  harness.engine.Feed("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n");
  harness.engine.Feed(std::string(kPipelinedBytesMax - 1, 'x'));
  EXPECT_TRUE(harness.engine.wants_read());
  harness.engine.Feed("x");
  EXPECT_FALSE(harness.engine.wants_read());
}

TEST(Engine, StreamsInChunks) {
  Harness harness(false);
  harness.engine.Feed("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseHead head;
  head.headers.Add("Content-Type", "application/json");
  harness.engine.Start(harness.newest, std::move(head));
  EXPECT_EQ(
      harness.Take(),
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  harness.engine.Write(harness.newest, Bytes("{\"a\":1}\n"));
  harness.engine.Write(harness.newest, Bytes());  // must not end the body
  harness.engine.Write(harness.newest, Bytes(std::string(26, 'z')));
  EXPECT_EQ(harness.engine.queued_bytes(harness.newest), 3U + 8 + 2 + 4 + 26 + 2);
  EXPECT_EQ(harness.Take(3), "8\r\n{\"a\":1}\n\r\n1a\r\n" + std::string(26, 'z') + "\r\n");
  harness.engine.Finish(harness.newest);
  EXPECT_EQ(harness.Take(1), "0\r\n\r\n");
  EXPECT_EQ(harness.engine.phase(), EnginePhase::kIdle);
}

TEST(Engine, PeekRepeatsUntilConsumed) {
  Harness harness;
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  std::array<char, 8> first{}, second{};
  EXPECT_EQ(harness.engine.Peek(first), 8U);
  EXPECT_EQ(harness.engine.Peek(second), 8U);
  EXPECT_EQ(first, second);
  harness.engine.Consume(3);
  EXPECT_THAT(harness.Take(), StartsWith("P/1.1 200 OK"));
}

TEST(Engine, HeadHasTheLengthButNoBody) {
  Harness harness;
  harness.engine.Feed("HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(harness.Take(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
}

TEST(Engine, StatusesWithoutBodyHaveNone) {
  Harness harness(false);
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  harness.engine.Respond(harness.newest, {.status = 304}, Bytes("dropped"));
  EXPECT_EQ(harness.Take(), "HTTP/1.1 304 Not Modified\r\n\r\n");
}

TEST(Engine, ExpectationIsMetBeforeTheBody) {
  Harness harness;
  harness.engine.Feed(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(harness.Take(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(harness.requests.empty());
  harness.engine.Feed("hi");
  EXPECT_EQ(harness.requests.at(0).body, "hi");
}

TEST(Engine, ABodyTooLargeIsNotInvited) {
  Harness harness;
  harness.engine.Feed(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(harness.requests.size(), 1U);
  EXPECT_EQ(harness.requests[0].body_state, BodyState::kTooLarge);
  EXPECT_THAT(harness.Take(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_TRUE(harness.engine.wants_close());
}

std::string Chunked(size_t size) {
  return "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" +
         std::string("1\r\nx\r\n") +
         (size > 1 ? fmt::format("{:x}\r\n{}\r\n", size - 1, std::string(size - 1, 'y')) : "") +
         "0\r\n\r\n";
}

std::string WithLength(size_t size) {
  return fmt::format(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{}", size, std::string(size, 'y'));
}

TEST(Engine, AStrangersBodyIsNeitherInvitedNorRead) {
  for (const std::string_view framing : {"Content-Length: 9", "Transfer-Encoding: chunked"}) {
    Harness harness;
    harness.engine.Feed(fmt::format(
        "POST / HTTP/1.1\r\nHost: h\r\nStranger: 1\r\n{}\r\nExpect: 100-continue\r\n\r\n",
        framing));
    ASSERT_EQ(harness.requests.size(), 1U);  // before a byte of the body
    EXPECT_EQ(harness.requests[0].body_state, BodyState::kSkipped);
    EXPECT_THAT(harness.Take(),
                AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("Connection: close\r\n")));
    EXPECT_TRUE(harness.engine.wants_close());
    harness.engine.Feed("9\r\nnever read");
    EXPECT_LT(harness.engine.held_bytes(), 100U);
  }
  Harness without_body;
  without_body.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\nStranger: 1\r\n\r\n");
  EXPECT_EQ(without_body.requests.at(0).body_state, BodyState::kWhole);
  EXPECT_FALSE(without_body.engine.wants_close());
}

TEST(Engine, AllBodiesTogetherHaveALimit) {
  constexpr size_t kRoom = 1000 + 2 * kRequestBytes;
  const auto bodies = std::make_shared<ShareBudget>(ShareLimits::WholeOf(kRoom));
  Harness first(true, bodies);
  first.engine.Feed("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600\r\n\r\nx");
  const size_t promised = bodies->held();
  EXPECT_GT(promised, kRequestBytes + 600U) << "what is promised counts, and the head";
  for (const bool fits : {true, false}) {
    for (const auto& make : {Chunked, WithLength}) {
      Harness measured;
      measured.engine.Feed(make(100));
      const size_t head = HeadBytes(measured.requests.at(0));
      Harness harness(true, bodies);
      harness.engine.Feed(make(kRoom - promised - head + (fits ? 0 : 1)));
      ASSERT_EQ(harness.requests.size(), 1U);
      EXPECT_EQ(harness.requests[0].body_state, fits ? BodyState::kWhole : BodyState::kNoRoom);
      EXPECT_EQ(harness.engine.wants_close(), false) << "its answer is not out";
      harness.Take();
      EXPECT_EQ(harness.engine.wants_close(), !fits);
      EXPECT_EQ(bodies->held(), fits ? kRoom : promised) << "as long as the request is there";
    }
    EXPECT_EQ(bodies->held(), promised);
  }
}

TEST(Engine, OneSenderHasHisShareOfRequestsUnderWay) {
  constexpr size_t kTotal = size_t{64} << 10;
  const auto requests = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(kTotal));
  const auto ask = [](std::string_view user) {
    return fmt::format("GET / HTTP/1.1\r\nHost: h\r\nUser: {}\r\n\r\n", user);
  };
  std::deque<Harness> under_way;
  const auto state_of = [&](std::string_view user) {
    Harness& harness = under_way.emplace_back(false, requests);
    harness.engine.Feed(ask(user));
    return harness.requests.at(0).body_state;
  };
  size_t taken = 0;
  while (state_of("greedy") == BodyState::kWhole) ASSERT_LT(++taken, kTotal / kRequestBytes);
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(state_of("other"), BodyState::kWhole);
  under_way.clear();
  EXPECT_EQ(requests->held(), 0U);
}

TEST(Engine, WhoMayHaveNoMoreConnectionsIsAnsweredAndClosed) {
  for (const std::string_view more : {"\r\n", "Content-Length: 5\r\n\r\nhello"}) {
    Harness harness;
    harness.engine.Feed(fmt::format("POST / HTTP/1.1\r\nHost: h\r\nRefused: 1\r\n{}", more));
    ASSERT_EQ(harness.requests.size(), 1U);
    EXPECT_EQ(harness.requests[0].body_state, BodyState::kNoRoom);
    harness.Take();
    EXPECT_TRUE(harness.engine.wants_close());
  }
}

TEST(Engine, AnUnfinishedHeadCostsWhatWasSent) {
  Harness harness;
  EXPECT_LT(harness.engine.held_bytes(), 100U);
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nA: ";
  size_t sent = begin.size();
  harness.engine.Feed(begin);
  EXPECT_LT(harness.engine.held_bytes(), 2 * sent + 64);
  const std::string more(10'000, 'a');
  for (int i = 0; i < 100; ++i) {
    harness.engine.Feed(more);
    sent += more.size();
    EXPECT_GE(harness.engine.held_bytes(), sent);
    EXPECT_LT(harness.engine.held_bytes(), 2 * sent + 64);
  }
}

TEST(Engine, OtherExpectationsFail) {
  Harness harness;
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\nExpect: magic\r\n\r\n");
  EXPECT_THAT(harness.Take(), StartsWith("HTTP/1.1 417 Expectation Failed\r\n"));
  EXPECT_TRUE(harness.engine.wants_close());
}

TEST(Engine, ABodyIsTooLargeBeforeWhatFollowsIsMalformed) {
  const std::string whole = Chunked(kBodyMax + 1);
  const std::string input = whole.substr(0, whole.size() - 5) + "no chunk\r\n";
  for (const size_t piece : {input.size(), size_t{1}}) {
    Harness harness;
    for (size_t at = 0; at < input.size(); at += piece) {
      harness.engine.Feed(input.substr(at, piece));
    }
    ASSERT_EQ(harness.requests.size(), 1U) << piece;
    EXPECT_EQ(harness.requests[0].body_state, BodyState::kTooLarge);
    EXPECT_THAT(harness.Take(), HasSubstr("Connection: close\r\n"));
  }
}

TEST(Engine, TheBodyLimitIsExact) {
  for (const auto& make : {Chunked, WithLength}) {
    Harness at;
    at.engine.Feed(make(kBodyMax));
    ASSERT_EQ(at.requests.size(), 1U);
    EXPECT_EQ(at.requests[0].body_state, BodyState::kWhole);
    EXPECT_EQ(at.requests[0].body.size(), kBodyMax);

    Harness past;
    past.engine.Feed(make(kBodyMax + 1));
    ASSERT_EQ(past.requests.size(), 1U);
    EXPECT_EQ(past.requests[0].body_state, BodyState::kTooLarge);
    EXPECT_EQ(past.requests[0].body, "");
    EXPECT_THAT(past.Take(), HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(past.engine.wants_close());
    EXPECT_FALSE(past.engine.wants_read());
  }
}

TEST(Engine, TheHeadLimitIsExact) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nA: ";
  for (const size_t extra : {0U, 1U}) {
    Harness harness;
    const size_t fill = kHeadBytesMax - begin.size() - 4 + extra;
    harness.engine.Feed(begin + std::string(fill, 'a') + "\r\n\r\n");
    EXPECT_EQ(harness.requests.size(), extra == 0 ? 1U : 0U);
    EXPECT_THAT(harness.Take(1000), StartsWith(extra == 0 ? "HTTP/1.1 200" : "HTTP/1.1 431"));
    EXPECT_EQ(harness.engine.wants_close(), extra != 0);
  }
}

TEST(Engine, TheNumberOfFieldsIsLimited) {
  for (const size_t extra : {0U, 1U}) {
    Harness harness;
    std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (size_t i = 1; i < kHeadFieldsMax + extra; ++i) text += "A: b\r\n";
    harness.engine.Feed(text + "\r\n");
    EXPECT_THAT(harness.Take(1000), StartsWith(extra == 0 ? "HTTP/1.1 200" : "HTTP/1.1 431"));
  }
}

TEST(Engine, ChunkLinesAndTrailersAreLimited) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const size_t extra : {0U, 1U}) {
    Harness lines;
    lines.engine.Feed(head + "0;" + std::string(kChunkLineBytesMax - 2 + extra, 'e') + "\r\n\r\n");
    EXPECT_THAT(lines.Take(), StartsWith(extra == 0 ? "HTTP/1.1 200" : "HTTP/1.1 400"));

    Harness trailers;
    std::string text = head + "0\r\n";
    const std::string field = "T: " + std::string(1024 - 5, 't') + "\r\n";
    for (size_t i = 0; i < kTrailerBytesMax / 1024; ++i) text += field;
    if (extra != 0) text += "T: t\r\n";
    trailers.engine.Feed(text + "\r\n");
    EXPECT_THAT(trailers.Take(), StartsWith(extra == 0 ? "HTTP/1.1 200" : "HTTP/1.1 400"));
  }
}

struct Malformed {
  std::string_view text;
  std::string_view status;
};

class Http1MalformedTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(Http1MalformedTest, IsAnsweredInPlainTextAndCloses) {
  Harness harness;
  harness.engine.Feed(GetParam().text);
  const std::string answer = harness.Take();
  EXPECT_THAT(answer, StartsWith(fmt::format("HTTP/1.1 {} ", GetParam().status)));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(harness.requests.empty());
  EXPECT_TRUE(harness.engine.wants_close());
}

constexpr Malformed kMalformed[] = {
    {"GET /\r\n\r\n", "400"},
    {"GET / HTTP/1.1\nHost: h\n\n", "400"},
    {"GET / HTTP/1.1\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"},
    {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", "505"},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
    {"GET / XTTP/1.1\r\nHost: h\r\n\r\n", "400"},
    {"G@T / HTTP/1.1\r\nHost: h\r\n\r\n", "400"},
    {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "400"},
    {"GET x HTTP/1.1\r\nHost: h\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nA: \x01\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nA: x\rB: y\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nnocolon\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
    {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "501"},
    {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"},
    {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\t1\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1 1\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\nab\r\n", "400"},
    {"P / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", "400"},
    {"\r\n\r\n\r\n\r\n\r\n", "400"},
};
INSTANTIATE_TEST_SUITE_P(Table, Http1MalformedTest, ::testing::ValuesIn(kMalformed));

TEST(Engine, TakesAbsoluteTargetsAndLeadingEmptyLines) {
  Harness harness;
  harness.engine.Feed("\r\nGET http://h:1/a?b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(harness.requests.at(0).target, "/a?b");
}

TEST(Engine, OldClientsGetOldAnswers) {
  Harness harness(false);
  harness.engine.Feed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  harness.engine.Respond(harness.newest, {}, Bytes("x"));
  EXPECT_THAT(harness.Take(), HasSubstr("Connection: keep-alive\r\n"));
  harness.engine.Feed("GET / HTTP/1.0\r\n\r\n");
  harness.engine.Start(harness.newest, {});
  harness.engine.Write(harness.newest, Bytes("until the end"));
  harness.engine.Finish(harness.newest);
  const std::string answer = harness.Take();
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nuntil the end"));
  EXPECT_TRUE(harness.engine.wants_close());
}

TEST(Engine, ClosesWhenTheClientAsks) {
  Harness harness;
  harness.engine.Feed(
      "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /ignored HTTP/1.1\r\n");
  EXPECT_THAT(harness.Take(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(harness.engine.wants_close());
  EXPECT_EQ(harness.requests.size(), 1U);
}

TEST(Engine, ShutdownLetsTheAnswerUnderWayEnd) {
  Harness harness(false);
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  harness.engine.Shutdown();
  EXPECT_FALSE(harness.engine.wants_close());
  harness.engine.Respond(harness.newest, {}, Bytes("bye"));
  EXPECT_THAT(harness.Take(), EndsWith("Connection: close\r\n\r\nbye"));
  EXPECT_TRUE(harness.engine.wants_close());
}

TEST(Engine, HeaderValuesCannotForgeFields) {
  Harness harness(false);
  harness.engine.Feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseHead head;
  head.headers.Add("Location", "/x\r\nSet-Cookie: evil");
  head.headers.Add("Content-Length", "99");
  harness.engine.Respond(harness.newest, std::move(head), Bytes("x"));
  EXPECT_THAT(harness.Take(), HasSubstr("Location: /x  Set-Cookie: evil\r\nContent-Length: 1\r\n"));
}

TEST(Engine, UnreadAnswersStopFurtherRequests) {
  Harness harness(false);
  harness.engine.Feed("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  harness.engine.Respond(harness.newest, {}, Bytes(std::string(kStreamQueueBytesMax, 'x')));
  harness.engine.Feed({});
  EXPECT_EQ(harness.requests.size(), 1U);
  harness.Take(1 << 16);
  EXPECT_EQ(harness.requests.size(), 2U);
}

TEST(Reader, ResponsesOfEveryFramingAreRead) {
  struct Case {
    std::string_view text, body;
  };
  for (const auto& [text, body] : {
           Case{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"},
           Case{"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
                "hi"},
           Case{"HTTP/1.0 200\r\n\r\nuntil close", "until close"},
           Case{"HTTP/1.1 204 No Content\r\n\r\n", ""},
       }) {
    Reader reader(Reader::Role::kResponse);
    std::string got;
    std::string_view rest = text;
    while (!rest.empty()) rest.remove_prefix(reader.Feed(rest, got));
    reader.EndOfInput();
    EXPECT_EQ(reader.phase(), Reader::Phase::kDone) << text;
    EXPECT_EQ(got, body);
  }
}

TEST(Reader, ATruncatedBodyFails) {
  Reader reader(Reader::Role::kResponse);
  std::string body;
  const std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi";
  reader.Feed(text.substr(reader.Feed(text, body)), body);
  reader.EndOfInput();
  EXPECT_EQ(reader.phase(), Reader::Phase::kFailed);
}

}  // namespace
}  // namespace dray::net::http1
