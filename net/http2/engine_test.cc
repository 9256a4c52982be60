// SPDX-License-Identifier: Apache-2.0
#include "net/http2/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "net/engine.h"
#include "net/head_rules.h"
#include "net/http.h"
#include "net/http2/answer_fields.h"
#include "net/http2/limits.h"
#include "net/testing/http2_engine.h"
#include "net/testing/http2_peer.h"

namespace dray::net::http2 {
namespace {

using testing::BigEndian;
using ::testing::ElementsAre;
using testing::Frame;
using ::testing::HasSubstr;
using testing::Http2Peer;
using ::testing::IsEmpty;
using testing::kEndBoth;
using ::testing::Not;
using testing::PlainField;
using testing::PlainHead;
using testing::Raw;
using testing::Served;
using testing::Settle;
using ::testing::SizeIs;

TEST(Http2Engine, AnswersAGet) {
  Served served;
  Http2Peer peer;
  const int32_t id = peer.Ask("GET", "/api?x=1", {{"x-a", "v"}});
  Settle(served, peer);
  const Request& request = served.requests.at(1);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api?x=1");
  EXPECT_EQ(request.headers.Get("X-A"), "v");
  EXPECT_EQ(request.headers.Get("Host"), "h");
  EXPECT_EQ(request.headers.size(), 2U) << "pseudo-header fields are none of them";
  const Http2Peer::Answer& answer = peer.answer(id);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_TRUE(answer.ended);
  EXPECT_EQ(answer.headers.Get("content-length"), "2");
  EXPECT_EQ(served.engine.phase(), EnginePhase::kIdle);
  EXPECT_FALSE(served.engine.wants_close());
  EXPECT_EQ(served.engine.held_bytes(), std::string().capacity());
}

TEST(Http2Engine, ReadsARequestSplitAnywhere) {
  Http2Peer sender;
  sender.Ask("POST", "/a", {{"content-length", "5"}}, "hello");
  const std::string bytes = sender.Take();
  std::string whole_output;
  for (size_t i = 0; i <= bytes.size(); ++i) {
    Served served;
    served.engine.Feed(std::string_view(bytes).substr(0, i));
    served.engine.Feed(std::string_view(bytes).substr(i));
    ASSERT_THAT(served.requests, SizeIs(1)) << i;
    ASSERT_EQ(served.requests.at(1).body, "hello");
    const std::string output = served.Take(i % 50 + 1);
    if (whole_output.empty()) whole_output = output;
    ASSERT_EQ(output, whole_output) << i;
  }
}

TEST(Http2Engine, PeekRepeatsUntilConsumed) {
  Served served;
  Http2Peer peer;
  peer.Ask("GET", "/");
  served.engine.Feed(peer.Take());
  char first[20], again[40];
  ASSERT_EQ(served.engine.Peek(first), 20U);
  ASSERT_EQ(served.engine.Peek(again), 40U);
  EXPECT_EQ(std::string_view(first, 20), std::string_view(again, 20));
}

TEST(Http2Engine, AnswersInAnyOrder) {
  Served served(false);
  Http2Peer peer;
  const int32_t first = peer.Ask("GET", "/1");
  const int32_t second = peer.Ask("GET", "/2");
  Settle(served, peer);
  EXPECT_THAT(served.order, ElementsAre(1, 3));
  served.engine.Respond(3, {}, Bytes("two"));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(second).body, "two");
  EXPECT_FALSE(peer.answer(first).ended);
  served.engine.Respond(1, {.status = 404}, Bytes("one"));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(first).status, 404);
  EXPECT_EQ(peer.answer(first).body, "one");
}

TEST(Http2Engine, StreamsPieceByPiece) {
  Served served(false);
  Http2Peer peer;
  const int32_t id = peer.Ask("GET", "/watch");
  Settle(served, peer);
  served.engine.Start(1, {});
  Settle(served, peer);
  EXPECT_EQ(peer.answer(id).status, 200) << "the head goes out before any piece";
  for (const std::string_view piece : {"one\n", "two\n"}) {
    served.engine.Write(1, Bytes(std::string(piece)));
    Settle(served, peer);
    EXPECT_THAT(peer.answer(id).body, HasSubstr(std::string(piece)));
    EXPECT_EQ(served.engine.queued_bytes(1), 0U);
  }
  EXPECT_FALSE(peer.answer(id).ended);
  served.engine.Finish(1);
  Settle(served, peer);
  EXPECT_TRUE(peer.answer(id).ended);
  EXPECT_EQ(peer.answer(id).closed, NGHTTP2_NO_ERROR);
  EXPECT_THAT(served.closed, IsEmpty());
}

TEST(Http2Engine, AnswersWithoutBodies) {
  struct Case {
    std::string_view method;
    int status;
    std::string_view length;
  };
  for (const auto& [method, status, length] :
       {Case{"HEAD", 200, "5"}, Case{"GET", 204, ""}, Case{"GET", 304, ""}}) {
    Served served(false);
    Http2Peer peer;
    const int32_t id = peer.Ask(method, "/");
    Settle(served, peer);
    served.engine.Respond(1, {.status = status}, Bytes("hello"));
    Settle(served, peer);
    EXPECT_EQ(peer.answer(id).status, status);
    EXPECT_EQ(peer.answer(id).headers.Get("content-length"), length);
    EXPECT_EQ(peer.answer(id).body, "");
    EXPECT_TRUE(peer.answer(id).ended);
  }
}

TEST(Http2Engine, FieldsAreInLowerCaseAndNoneOfTheConnection) {
  Served served(false);
  Http2Peer peer;
  const int32_t id = peer.Ask("GET", "/");
  Settle(served, peer);
  ResponseHead head;
  for (const std::string_view name : {"Connection",
                                      "Keep-Alive",
                                      "Proxy-Connection",
                                      "Transfer-Encoding",
                                      "Upgrade",
                                      "Content-Length",
                                      "not a name"}) {
    head.headers.Add(name, "x");
  }
  head.headers.Add("Audit-Id", " a\r\nb ");
  served.engine.Respond(1, std::move(head), Bytes("hello"));
  Settle(served, peer);
  const Headers& got = peer.answer(id).headers;
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got.at(0).first, "audit-id");
  EXPECT_EQ(got.at(0).second, "a  b");
  EXPECT_EQ(got.at(1).first, "content-length");
  EXPECT_EQ(got.at(1).second, "5");
}

TEST(Http2Engine, MalformedRequestsAreResetAndTheConnectionGoesOn) {
  for (const std::string& head : {
           PlainHead() + PlainField("connection", "close"),
           PlainHead() + PlainField("transfer-encoding", "chunked"),
           PlainHead() + PlainField("Upper", "case"),
           PlainHead() + PlainField("te", "gzip"),
           PlainHead() + PlainField(":path", "/again"),
           PlainHead() + PlainField("a", "b\nc"),
           PlainField(":method", "GET") + PlainField(":scheme", "https"),
       }) {
    Raw raw;
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, 1, head));
    EXPECT_THAT(raw.served.requests, IsEmpty());
    EXPECT_THAT(raw.served.Take(), HasSubstr(Frame(NGHTTP2_RST_STREAM, 0, 1, BigEndian(1, 4))));
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, 3, PlainHead()));
    EXPECT_THAT(raw.served.order, ElementsAre(3));
  }
}

TEST(Http2Engine, RequestsItDoesNotTakeAreAnswered) {
  struct Case {
    std::string_view method, path, field, value;
    int status;
  };
  for (const auto& [method, path, field, value, status] : {
           Case{"GET", "/", "expect", "the unexpected", 417},
           Case{"OPTIONS", "*", "a", "b", 200},
           Case{"GET", "/", "expect", "100-continue", 200},
       }) {
    Served served;
    Http2Peer peer;
    const int32_t id = peer.Ask(method, path, {{std::string(field), std::string(value)}});
    Settle(served, peer);
    EXPECT_EQ(peer.answer(id).status, status) << method << path;
  }
}

TEST(Http2Engine, ABodyIsAskedForWhenThePeerWaits) {
  Served served;
  Http2Peer peer;
  const int32_t id = peer.Ask("POST", "/", {{"expect", "100-continue"}}, "hello");
  Settle(served, peer);
  EXPECT_EQ(peer.answer(id).interim, 1);
  EXPECT_EQ(peer.answer(id).status, 200);
  EXPECT_EQ(served.requests.at(1).body, "hello");
}

TEST(Http2Engine, APeerThatGoesOnSendingIsToldToStop) {
  Raw raw;
  const std::string head = PlainField(":method", "POST") + PlainField(":scheme", "https") +
                           PlainField(":path", "/") + PlainField(":authority", "h") +
                           PlainField("content-length", "2000");
  raw.Say(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, head));
  const std::string stop = Frame(NGHTTP2_RST_STREAM, 0, 1, BigEndian(NGHTTP2_NO_ERROR, 4));
  EXPECT_THAT(raw.served.Take(), Not(HasSubstr(stop))) << "curl 7.88 would forget the answer";
  raw.Say(Frame(NGHTTP2_DATA, 0, 1, std::string(1000, 'x')));  // what was under way already
  for (uint64_t i = 0; i < kLingerTicks; ++i) raw.served.engine.Tick();
  EXPECT_THAT(raw.served.Take(), Not(HasSubstr(stop)));
  raw.served.engine.Tick();
  EXPECT_EQ(raw.served.Take(), stop);
  EXPECT_EQ(raw.served.engine.phase(), EnginePhase::kIdle);
  EXPECT_EQ(raw.GoawayCode(), std::nullopt);
}

TEST(Http2Engine, BodiesOfStrangersAreNotRead) {
  Served served;
  Http2Peer peer;
  const int32_t id =
      peer.Ask("POST", "/", {{"stranger", "1"}, {"expect", "100-continue"}}, std::string(500, 'x'));
  Settle(served, peer);
  EXPECT_EQ(served.requests.at(1).body_state, BodyState::kSkipped);
  EXPECT_EQ(served.requests.at(1).body, "");
  EXPECT_EQ(peer.answer(id).interim, 0);
  EXPECT_EQ(peer.answer(id).status, 200);
}

TEST(Http2Engine, ASlowReaderHoldsUpItsStreamAlone) {
  Served served(false);
  Http2Peer peer({.stream_window = 1000, .consumes = false});
  const int32_t slow = peer.Ask("GET", "/slow");
  const int32_t quick = peer.Ask("GET", "/quick");
  Settle(served, peer);
  served.engine.Start(1, {});
  served.engine.Start(3, {});
  served.engine.Write(1, Bytes(std::string(5000, 's')));
  served.engine.Write(3, Bytes(std::string(900, 'q')));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(slow).body.size(), 1000U);
  EXPECT_EQ(served.engine.queued_bytes(1), 4000U);
  EXPECT_EQ(peer.answer(quick).body.size(), 900U);
  EXPECT_EQ(served.engine.queued_bytes(3), 0U);
  nghttp2_submit_window_update(peer.session(), NGHTTP2_FLAG_NONE, slow, 4000);
  Settle(served, peer);
  EXPECT_EQ(peer.answer(slow).body.size(), 5000U);
}

TEST(Http2Engine, AFieldThatIsNewInEachAnswerIsNotRemembered) {
  ResponseHead head;
  head.headers.Add("Audit-Id", "1");
  head.headers.Add("Cache-Control", "no-cache, private");
  const AnswerFields fields(head, std::nullopt, {});
  std::vector<uint8_t> flags;
  for (const nghttp2_nv& field : fields.list()) flags.push_back(field.flags);
  EXPECT_THAT(flags,
              ElementsAre(NGHTTP2_NV_FLAG_NONE, NGHTTP2_NV_FLAG_NO_INDEX, NGHTTP2_NV_FLAG_NONE));
}

TEST(Http2Engine, StreamsTakeTurns) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("GET", "/1");
  peer.Ask("GET", "/2");
  Settle(served, peer);
  served.engine.Respond(1, {}, Bytes(std::string(size_t{10} << 20, 'x')));
  served.engine.Respond(3, {}, Bytes("short"));
  std::vector<char> space(size_t{64} << 10);
  const size_t size = served.engine.Peek(space);
  EXPECT_THAT(std::string(space.data(), size), HasSubstr("short"));
}

TEST(Http2Engine, WhatIsNoHttp2EndsTheConnection) {
  Served served;
  served.engine.Feed("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
  EXPECT_TRUE(served.engine.wants_close());
  EXPECT_FALSE(served.engine.wants_read());
}

TEST(Http2Engine, AStreamThePeerGivesUpIsTold) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("GET", "/1");
  const int32_t second = peer.Ask("GET", "/2");
  Settle(served, peer);
  served.engine.Start(3, {});
  served.engine.Write(3, Bytes("x"));
  peer.Cancel(second);
  Settle(served, peer);
  EXPECT_THAT(served.closed, ElementsAre(3));
  served.engine.Write(3, Bytes("late"));  // harmless
  served.engine.Finish(3);
  EXPECT_EQ(served.engine.queued_bytes(3), 0U);
  served.engine.Respond(1, {}, Bytes("ok"));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(1).body, "ok");
}

TEST(Http2Engine, ABrokenAnswerIsSeenAsSuch) {
  Served served(false);
  Http2Peer peer;
  const int32_t id = peer.Ask("GET", "/1");
  Settle(served, peer);
  served.engine.Start(1, {});
  served.engine.Write(1, Bytes("x"));
  EXPECT_TRUE(served.engine.Reset(1));
  Settle(served, peer);
  EXPECT_FALSE(peer.answer(id).ended);
  EXPECT_EQ(peer.answer(id).closed, NGHTTP2_INTERNAL_ERROR);
  EXPECT_THAT(served.closed, IsEmpty()) << "who breaks it off knows";
  EXPECT_FALSE(served.engine.wants_close());
}

TEST(Http2Engine, ShutdownLosesNoRequest) {
  Served served(false);
  Http2Peer peer;
  const int32_t under_way = peer.Ask("GET", "/1");
  Settle(served, peer);
  served.engine.Shutdown();
  peer.Ask("GET", "/2");  // sent before the server's word arrives
  served.engine.Feed(peer.Take());
  ASSERT_TRUE(peer.Feed(served.Take()));
  ASSERT_THAT(peer.goaways(), SizeIs(1));
  EXPECT_EQ(peer.goaways()[0].last_stream, INT32_MAX);
  EXPECT_EQ(peer.goaways()[0].error_code, NGHTTP2_NO_ERROR);
  EXPECT_THAT(served.order, ElementsAre(1, 3));
  Settle(served, peer);
  ASSERT_THAT(peer.goaways(), SizeIs(2));
  EXPECT_EQ(peer.goaways()[1].last_stream, 3) << "those up to here are answered";
  EXPECT_FALSE(served.engine.wants_close());
  served.engine.Respond(3, {}, Bytes("two"));
  served.engine.Respond(1, {}, Bytes("one"));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(under_way).body, "one");
  EXPECT_EQ(peer.answer(3).body, "two");
  EXPECT_TRUE(served.engine.wants_close());
}

TEST(Http2Engine, ShutdownOfAnIdleConnectionSaysGoodbye) {
  Served served;
  Http2Peer peer;
  peer.Ask("GET", "/");
  Settle(served, peer);
  served.engine.Shutdown();
  EXPECT_FALSE(served.engine.wants_close());
  Settle(served, peer);
  EXPECT_THAT(peer.goaways(), SizeIs(1));
  EXPECT_EQ(nghttp2_session_want_read(peer.session()), 0) << "a client closes the connection";
  served.engine.EndInput();
  Settle(served, peer);
  EXPECT_TRUE(served.engine.wants_close());
}

TEST(Http2Engine, ShutdownBeforeThePrefaceEndsAtOnce) {
  Served served;
  EXPECT_EQ(served.engine.phase(), EnginePhase::kHead);
  served.engine.Shutdown();
  served.Take();
  EXPECT_TRUE(served.engine.wants_close());
}

TEST(Http2Engine, TheEndOfInputLeavesAnswersUnderWay) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("GET", "/1");
  Settle(served, peer);
  served.engine.EndInput();
  served.Take();
  EXPECT_FALSE(served.engine.wants_close());
  served.engine.Respond(1, {}, Bytes("late"));
  EXPECT_THAT(served.Take(), HasSubstr("late"));
  EXPECT_TRUE(served.engine.wants_close());
}

TEST(Http2OutputQueue, GivesItsBytesInOrder) {
  OutputQueue queue;
  std::string all, out;
  for (int i = 0; i < 100; ++i) {
    const std::string piece(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
    all += piece;
    queue.Add(Bytes(piece));
    queue.MoveTo(out, queue.bytes() / 3);
  }
  queue.MoveTo(out, queue.bytes());
  EXPECT_EQ(out, all);
  EXPECT_EQ(queue.bytes(), 0U);
}

}  // namespace
}  // namespace dray::net::http2
