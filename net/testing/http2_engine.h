// SPDX-License-Identifier: Apache-2.0
// For tests: an HTTP/2 engine and a peer for it, without sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "base/share_budget.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/http2/engine.h"
#include "net/request_tracker.h"
#include "net/testing/http2_peer.h"

namespace dray::net::testing {

constexpr size_t kBodyMax = 1000;
constexpr uint8_t kEndBoth = NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_END_HEADERS;

/// An engine whose requests are kept, and answered at once on request.
class Served final : public ServerEngine::Events {
 public:
  explicit Served(bool answers_at_once = true,
                  http2::Limits limits = {},
                  std::shared_ptr<ShareBudget> requests = nullptr,
                  std::shared_ptr<RequestTracker> tracker = nullptr)
      : answers(answers_at_once),
        engine(*this,
               {.body_bytes_max = kBodyMax,
                .peer = nullptr,
                .requests = std::move(requests),
                .tracker = std::move(tracker)},
               limits) {}

  HeadVerdict OnHead(Request& head) override {
    if (head.headers.Has("Refused")) return HeadVerdict::kNoRoom;
    return head.headers.Has("Stranger") ? HeadVerdict::kStranger : HeadVerdict::kTaken;
  }
  void OnRequest(StreamId stream, Request request) override {
    order.push_back(stream);
    if (answers) engine.Respond(stream, {.status = 200}, Bytes("ok"));
    requests[stream] = std::move(request);
  }
  void OnClosed(StreamId stream) override { closed.push_back(stream); }

  /// All output there is, taken in portions of `portion`.
  std::string Take(size_t portion = 4096) {
    std::string out;
    std::vector<char> space(portion);
    while (const size_t size = engine.Peek(space)) {
      out.append(space.data(), size);
      engine.Consume(size);
    }
    return out;
  }

  const bool answers;
  http2::Engine engine;
  std::vector<StreamId> order;
  std::map<StreamId, Request> requests;
  std::vector<StreamId> closed;
};

/// Exchanges bytes until neither side has more.
inline void Settle(Served& served, Http2Peer& peer) {
  for (bool moved = true; moved;) {
    const std::string in = peer.Take();
    served.engine.Feed(in);
    const std::string out = served.Take();
    ASSERT_TRUE(peer.Feed(out));
    moved = !in.empty() || !out.empty();
  }
}

/// What an engine sends to a peer that says `bytes` after its preface and settings.
struct Raw {
  explicit Raw(bool answers_at_once = true, http2::Limits limits = {})
      : served(answers_at_once, limits) {
    Say(std::string(http2::kPreface) + Frame(NGHTTP2_SETTINGS, 0, 0, ""));
  }
  void Say(std::string_view bytes) { served.engine.Feed(bytes); }
  void Listen() {
    for (const FrameText& frame : FramesOf(served.Take())) {
      if (frame.type == NGHTTP2_GOAWAY) goaway = static_cast<unsigned char>(frame.payload.at(7));
    }
  }
  std::optional<uint32_t> GoawayCode() {
    Listen();
    return goaway;
  }

  Served served;
  std::optional<uint32_t> goaway;
};

}  // namespace dray::net::testing
