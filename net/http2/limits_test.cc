// SPDX-License-Identifier: Apache-2.0
// Each limit of an HTTP/2 connection, at it and one past it.
#include "net/http2/limits.h"

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
#include "net/testing/http2_engine.h"
#include "net/testing/http2_peer.h"

namespace dray::net::http2 {
namespace {

using testing::BigEndian;
using ::testing::ElementsAre;
using testing::Frame;
using testing::Http2Peer;
using ::testing::IsEmpty;
using testing::kBodyMax;
using testing::kEndBoth;
using testing::PlainField;
using testing::PlainHead;
using testing::Raw;
using testing::Served;
using testing::Settle;
using ::testing::SizeIs;

TEST(Http2Limits, BodiesHaveALimit) {
  for (const bool is_announced : {true, false}) {
    for (const size_t size : {kBodyMax, kBodyMax + 1}) {
      Served served;
      Http2Peer peer;
      Http2Peer::Fields fields;
      if (is_announced) fields.emplace_back("content-length", fmt::format("{}", size));
      const int32_t id = peer.Ask("POST", "/", fields, std::string(size, 'x'));
      Settle(served, peer);
      ASSERT_THAT(served.requests, SizeIs(1));
      const bool fits = size <= kBodyMax;
      EXPECT_EQ(served.requests.at(1).body_state, fits ? BodyState::kWhole : BodyState::kTooLarge);
      EXPECT_EQ(served.requests.at(1).body.size(), fits ? size : 0);
      EXPECT_EQ(peer.answer(id).status, 200) << "the answer comes either way";
      peer.Ask("GET", "/");
      Settle(served, peer);
      EXPECT_THAT(served.requests, SizeIs(2)) << "and the connection stays open";
    }
  }
}

TEST(Http2Limits, AllBodiesShareOneBudget) {
  Request head{.method = "POST", .target = "/1"};  // counts as well
  head.headers.Add("content-length", "1000");
  head.headers.Add("host", "h");
  const size_t room = 1500 + 2 * HeadBytes(head) - 1;  // "501" and "500" are shorter than "1000"
  const auto bodies = std::make_shared<ShareBudget>(ShareLimits::WholeOf(room));
  Served served(false, {}, bodies);
  Http2Peer peer;
  peer.Ask("POST", "/1", {{"content-length", "1000"}}, std::string(1000, 'x'));
  peer.Ask("POST", "/2", {{"content-length", "501"}}, std::string(501, 'x'));
  peer.Ask("POST", "/3", {{"content-length", "500"}}, std::string(500, 'x'));
  Settle(served, peer);
  EXPECT_EQ(served.requests.at(1).body_state, BodyState::kWhole);
  EXPECT_EQ(served.requests.at(3).body_state, BodyState::kNoRoom);
  EXPECT_EQ(served.requests.at(5).body_state, BodyState::kWhole);
  EXPECT_EQ(bodies->held(), room);
  served.requests.clear();
  EXPECT_EQ(bodies->held(), 0U);
}

TEST(Http2Limits, WhatAStrangerSendsAheadIsLimited) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("POST", "/", {{"stranger", "1"}}, std::string(size_t{1} << 20, 'x'));
  Settle(served, peer);
  EXPECT_EQ(nghttp2_session_get_stream_remote_window_size(peer.session(), 1), 0)
      << "the stream's window is not given back";
  EXPECT_GT(nghttp2_session_get_remote_window_size(peer.session()), 1 << 20)
      << "and that of the connection is";
}

TEST(Http2Limits, StrangersMayOpenFewStreams) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("GET", "/", {{"stranger", "1"}});
  Settle(served, peer);
  EXPECT_EQ(peer.streams_max(), kStrangerStreamsMax);
  peer.Ask("GET", "/");
  Settle(served, peer);
  EXPECT_EQ(peer.streams_max(), kStreamsMax);
}

TEST(Http2Limits, StreamsPastTheLimitEndTheConnection) {
  Raw raw(false);
  raw.Say(Frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, ""));
  const std::string head = PlainHead() + PlainField("stranger", "1");
  int32_t id = 1;
  for (uint32_t i = 0; i < kStrangerStreamsMax; ++i, id += 2) {
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, head));
  }
  EXPECT_THAT(raw.served.requests, SizeIs(kStrangerStreamsMax));
  EXPECT_EQ(raw.GoawayCode(), std::nullopt);
  raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, head));
  EXPECT_THAT(raw.served.requests, SizeIs(kStrangerStreamsMax));
  EXPECT_EQ(raw.GoawayCode(), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_TRUE(raw.served.engine.wants_close());
}

TEST(Http2Limits, AThousandStreamsOfWhoIsKnown) {
  Served served(false);
  Http2Peer peer;
  peer.Ask("GET", "/");
  Settle(served, peer);
  for (uint32_t i = 1; i < kStreamsMax + 1; ++i) peer.Ask("GET", "/");
  Settle(served, peer);
  EXPECT_THAT(served.requests, SizeIs(kStreamsMax)) << "one waits at the client";
  served.engine.Respond(1, {}, Bytes("ok"));
  Settle(served, peer);
  EXPECT_THAT(served.requests, SizeIs(kStreamsMax + 1));
}

TEST(Http2Limits, ManyFullStreamsGetLessRoom) {
  Served served(false);
  Http2Peer peer({.stream_window = 0, .consumes = false});
  for (int i = 0; i < 40; ++i) peer.Ask("GET", "/");
  Settle(served, peer);
  size_t queued = 0;
  for (StreamId id = 1; queued <= kQueuedBytesMax; id += 2, queued += kStreamQueueBytesMax) {
    EXPECT_EQ(served.engine.queue_bytes_max(), kStreamQueueBytesMax);
    served.engine.Start(id, {});
    served.engine.Write(id, Bytes(std::string(kStreamQueueBytesMax, 'x')));
  }
  EXPECT_EQ(served.engine.queue_bytes_max(), kCrowdedStreamBytesMax);
  peer.Cancel(1);
  Settle(served, peer);
  EXPECT_EQ(served.engine.queue_bytes_max(), kStreamQueueBytesMax);
}

TEST(Http2Limits, HeadsHaveALimit) {
  // 100 fields of 10,000 bytes and what is left over in one more; ":method" and so on count too.
  const auto fields_of = [](size_t bytes) {
    size_t left = bytes - (7 + 3) - (7 + 5) - (5 + 1) - (10 + 1) - 4 * kFieldOverheadBytes;
    Http2Peer::Fields fields;
    while (left > 0) {
      const size_t size = left >= 11'000 ? 10'000 : left;
      fields.emplace_back("a", std::string(size - kFieldOverheadBytes - 1, 'x'));
      left -= size;
    }
    return fields;
  };
  for (const size_t size : {kHeadBytesMax, kHeadBytesMax + 1}) {
    Served served;
    Http2Peer peer;
    const int32_t id = peer.Ask("GET", "/", fields_of(size));
    Settle(served, peer);
    EXPECT_EQ(peer.answer(id).status, size == kHeadBytesMax ? 200 : 431);
    peer.Ask("GET", "/");
    Settle(served, peer);
    EXPECT_EQ(peer.answer(3).status, 200) << "the connection stays open";
  }
}

TEST(Http2Limits, FieldsHaveALimit) {
  for (const size_t count : {kHeadFieldsMax, kHeadFieldsMax + 1}) {
    Served served;
    Http2Peer peer;
    const int32_t id = peer.Ask("GET", "/", Http2Peer::Fields(count, {"a", "b"}));
    Settle(served, peer);
    EXPECT_EQ(peer.answer(id).status, count == kHeadFieldsMax ? 200 : 431);
  }
}

// Ours to know, not to choose: past it the head is broken, and with it the connection.
TEST(Http2Limits, ANameOrValueHasTheLimitOfTheLibrary) {
  const auto text = [](size_t size) {
    std::string length(1, '\x7f');
    size_t rest = size - 127;
    for (; rest >= 128; rest >>= 7) length += static_cast<char>(0x80 | (rest & 0x7f));
    return length + static_cast<char>(rest) + std::string(size, 'x');
  };
  const std::string literal(1, '\0');  // without indexing, a new name (RFC 7541 6.2.2)
  const auto answer = [&](const std::string& field) {
    Raw raw;
    const std::string head = PlainHead() + field;
    for (size_t at = 0; at < head.size(); at += kFrameBytesMax) {
      const bool ends = at + kFrameBytesMax >= head.size();
      const int flags =
          (ends ? NGHTTP2_FLAG_END_HEADERS : 0) | (at == 0 ? NGHTTP2_FLAG_END_STREAM : 0);
      raw.Say(Frame(at == 0 ? NGHTTP2_HEADERS : NGHTTP2_CONTINUATION,
                    static_cast<uint8_t>(flags),
                    1,
                    head.substr(at, kFrameBytesMax)));
    }
    return std::pair(raw.served.requests.size(), raw.GoawayCode());
  };
  const auto taken = std::pair(size_t{1}, std::optional<uint32_t>());
  const auto broken = std::pair(size_t{0}, std::optional<uint32_t>(NGHTTP2_COMPRESSION_ERROR));
  const std::string one =
      "\x01"
      "a";
  EXPECT_EQ(answer(literal + one + text(kFieldBytesMax)), taken);
  EXPECT_EQ(answer(literal + one + text(kFieldBytesMax + 1)), broken);
  EXPECT_EQ(answer(literal + text(kFieldBytesMax) + one), taken);
  EXPECT_EQ(answer(literal + text(kFieldBytesMax + 1) + one), broken);
}

TEST(Http2Limits, AFieldNamedAgainAndAgainEndsTheConnection) {
  // A field of 4,000 bytes enters the table once; each further byte on the wire names it again.
  std::string head = PlainHead();
  head += '\x40';  // literal with indexing (RFC 7541 6.2.1), name "a", length 3,900 as 127 + 3,773
  head +=
      "\x01"
      "a";
  head += "\x7f\xbd\x1d";
  head += std::string(3900, 'x');
  const size_t field = 3900 + 1 + kFieldOverheadBytes;
  const auto say = [&](size_t times) {
    auto raw = std::make_unique<Raw>();
    raw->Say(Frame(NGHTTP2_HEADERS, kEndBoth, 1, head + std::string(times, '\xbe')));
    return raw;
  };
  const size_t fits = kHeadBytesFactorMax * kHeadBytesMax / field - 1;
  const auto large = say(fits - 1);
  EXPECT_EQ(large->GoawayCode(), std::nullopt);
  EXPECT_THAT(large->served.requests, IsEmpty()) << "431";
  const auto bomb = say(fits + 1);
  EXPECT_THAT(bomb->served.requests, IsEmpty());
  EXPECT_EQ(bomb->GoawayCode(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(bomb->served.engine.wants_close());
}

TEST(Http2Limits, ContinuationsHaveALimit) {
  for (const size_t count : {kContinuationsMax, kContinuationsMax + 1}) {
    Raw raw;
    raw.Say(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 1, PlainHead()));
    EXPECT_EQ(raw.served.engine.phase(), EnginePhase::kHead);
    for (size_t i = 1; i < count; ++i) raw.Say(Frame(NGHTTP2_CONTINUATION, 0, 1, ""));
    raw.Say(Frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, 1, ""));
    const bool fits = count == kContinuationsMax;
    EXPECT_THAT(raw.served.requests, SizeIs(fits ? 1 : 0));
    EXPECT_EQ(raw.served.engine.wants_close(), !fits);
  }
}

TEST(Http2Limits, FramesHaveALimit) {
  for (const size_t size : {size_t{kFrameBytesMax}, size_t{kFrameBytesMax} + 1}) {
    Raw raw(false);
    const std::string head = PlainField(":method", "POST") + PlainField(":scheme", "https") +
                             PlainField(":path", "/") + PlainField(":authority", "h") +
                             PlainField("stranger", "1");
    raw.Say(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, head));
    raw.Say(Frame(NGHTTP2_DATA, 0, 1, std::string(size, 'x')));
    EXPECT_EQ(
        raw.GoawayCode(),
        size == kFrameBytesMax ? std::nullopt : std::optional<uint32_t>(NGHTTP2_FRAME_SIZE_ERROR));
  }
}

TEST(Http2Limits, RequestsCalledOffAtOnceAreNotCarriedOut) {
  Raw raw;
  raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, 1, PlainHead()) +
          Frame(NGHTTP2_RST_STREAM, 0, 1, BigEndian(NGHTTP2_CANCEL, 4)) +
          Frame(NGHTTP2_HEADERS, kEndBoth, 3, PlainHead()));
  EXPECT_THAT(raw.served.order, ElementsAre(3));
  EXPECT_THAT(raw.served.closed, IsEmpty());
}

/// Opens and calls off `count` streams, the first of them `id`; returns the next.
int32_t RapidResets(Raw& raw, int32_t id, uint32_t count, uint32_t code = NGHTTP2_CANCEL) {
  for (uint32_t i = 0; i < count; ++i, id += 2) {
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, PlainHead()));
    raw.Say(Frame(NGHTTP2_RST_STREAM, 0, id, BigEndian(code, 4)));
  }
  return id;
}

TEST(Http2Limits, ResetsHaveALimitWhateverTheirCode) {
  constexpr uint32_t kUnknown = 0x12345;
  for (const uint32_t code : {uint32_t{NGHTTP2_NO_ERROR},
                              uint32_t{NGHTTP2_CANCEL},
                              uint32_t{NGHTTP2_REFUSED_STREAM},
                              kUnknown}) {
    Raw raw(false);
    int32_t id = RapidResets(raw, 1, kResetsMax, code);
    EXPECT_EQ(raw.GoawayCode(), std::nullopt);
    EXPECT_THAT(raw.served.closed, SizeIs(kResetsMax)) << "all were begun, none has an answer";
    raw.served.engine.Tick();
    id = RapidResets(raw, id, kResetsPerTick, code);
    EXPECT_EQ(raw.GoawayCode(), std::nullopt) << "more are allowed with time";
    RapidResets(raw, id, 1, code);
    EXPECT_EQ(raw.GoawayCode(), NGHTTP2_ENHANCE_YOUR_CALM) << code;
    EXPECT_TRUE(raw.served.engine.wants_close());
  }
}

TEST(Http2Limits, WhatIsAnsweredIsNoReset) {
  Raw raw;
  int32_t id = 1;
  for (uint32_t i = 0; i < 2 * kResetsMax; ++i, id += 2) {
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, PlainHead()));
    raw.Listen();
  }
  EXPECT_EQ(raw.GoawayCode(), std::nullopt);
}

TEST(Http2Limits, BodiesThatDoNotComeCountAsResets) {
  Limits limits;
  limits.body_ticks = 1;
  Raw raw(false, limits);
  int32_t id = 1;
  for (uint32_t round = 0; !raw.GoawayCode().has_value(); ++round) {
    ASSERT_LT(round, 10U);
    for (uint32_t i = 0; i < kResetsMax / 4; ++i, id += 2) {
      raw.Say(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, id, PlainHead()));
    }
    for (int tick = 0; tick < 3; ++tick) raw.served.engine.Tick();
    raw.Listen();
  }
  EXPECT_EQ(raw.GoawayCode(), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2Limits, ResetsThatItsFaultsCauseCountAsWell) {
  Raw raw(false);
  int32_t id = 1;
  const auto provoke = [&] {
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, PlainHead()));
    raw.Say(Frame(NGHTTP2_WINDOW_UPDATE, 0, id, BigEndian(0x7fffffff, 4)));  // too large a window
    raw.Listen();
    id += 2;
  };
  for (uint32_t i = 0; i < kResetsMax; ++i) provoke();
  EXPECT_EQ(raw.GoawayCode(), std::nullopt);
  provoke();
  EXPECT_EQ(raw.GoawayCode(), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2Limits, PingsNobodyTakesTheAnswersOfHaveALimit) {
  for (const size_t count : {kAcksMax, kAcksMax + 1}) {
    Raw raw;
    raw.Listen();
    for (size_t i = 0; i < count; ++i) raw.Say(Frame(NGHTTP2_PING, 0, 0, "12345678"));
    EXPECT_EQ(raw.served.engine.wants_close(), count > kAcksMax);
  }
}

TEST(Http2Limits, SettingsHaveALimit) {
  for (const size_t count : {kSettingsMax, kSettingsMax + 1}) {
    Raw raw;
    std::string entries;
    for (size_t i = 0; i < count; ++i) entries += BigEndian(0xf00, 2) + BigEndian(1, 4);
    raw.Say(Frame(NGHTTP2_SETTINGS, 0, 0, entries));
    raw.Listen();
    EXPECT_EQ(raw.served.engine.wants_close(), count > kSettingsMax);
  }
}

TEST(Http2Limits, ReadingStopsWhileTooManyFramesWait) {
  Raw raw(false);
  // Each stream refused is a frame to send; nothing is taken.
  raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, 1, PlainHead()));
  size_t sent = 0;
  for (int32_t id = 3; raw.served.engine.wants_read() && sent < 3 * kQueuedFramesMax; id += 2) {
    raw.Say(Frame(NGHTTP2_HEADERS, kEndBoth, id, PlainHead() + PlainField("te", "gzip")));
    ++sent;
  }
  EXPECT_FALSE(raw.served.engine.wants_read());
  EXPECT_LE(sent, kQueuedFramesMax);
}

TEST(Http2Limits, ABodyThatDoesNotComeIsNotAwaited) {
  Served served(false, {.body_ticks = 2});
  served.engine.Feed(std::string(kPreface) + Frame(NGHTTP2_SETTINGS, 0, 0, "") +
                     Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, PlainHead()));
  served.Take();
  for (int i = 0; i < 2; ++i) served.engine.Tick();
  EXPECT_EQ(served.Take(), "");
  served.engine.Tick();
  EXPECT_TRUE(served.engine.wants_write());
  EXPECT_EQ(served.Take(), Frame(NGHTTP2_RST_STREAM, 0, 1, BigEndian(NGHTTP2_CANCEL, 4)));
  EXPECT_EQ(served.engine.phase(), EnginePhase::kIdle);
  EXPECT_THAT(served.closed, IsEmpty()) << "the handler was not called";
}

TEST(Http2Limits, AStalledStreamEndsAlone) {
  Served served(false, {.stall_ticks = 2});
  Http2Peer peer({.stream_window = 1000, .consumes = false});
  peer.Ask("GET", "/slow");
  peer.Ask("GET", "/idle");
  Settle(served, peer);
  served.engine.Start(1, {});
  served.engine.Start(3, {});
  served.engine.Write(1, Bytes(std::string(5000, 's')));
  Settle(served, peer);
  for (int i = 0; i < 2; ++i) served.engine.Tick();
  Settle(served, peer);
  nghttp2_submit_window_update(peer.session(), NGHTTP2_FLAG_NONE, 1, 1);
  Settle(served, peer);
  for (int i = 0; i < 2; ++i) served.engine.Tick();
  EXPECT_THAT(served.closed, IsEmpty()) << "it took something in between";
  served.engine.Tick();
  EXPECT_THAT(served.closed, ElementsAre(1));
  Settle(served, peer);
  EXPECT_EQ(peer.answer(1).closed, NGHTTP2_CANCEL);
  EXPECT_EQ(peer.answer(3).closed, std::nullopt) << "one that has nothing to send may wait";
}

TEST(Http2Limits, WhatStrangersHoldIsCounted) {
  Served served(false);
  Http2Peer peer({.stream_window = 0, .consumes = false});
  peer.Ask("GET", "/", {{"stranger", "1"}});
  Settle(served, peer);
  const size_t idle = served.engine.held_bytes();
  EXPECT_GE(idle, kStreamBytes);
  served.engine.Respond(1, {}, Bytes(std::string(10'000, 'x')));
  EXPECT_GE(served.engine.held_bytes(), idle + 10'000);
}

}  // namespace
}  // namespace dray::net::http2
