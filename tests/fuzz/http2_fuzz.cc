// SPDX-License-Identifier: Apache-2.0
// Any bytes into the HTTP/2 engine, in pieces of any size, with the output drained or left to wait.
// It must answer or close, keep to its limits, report every stream once, and end when asked to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "net/engine.h"
#include "net/head_rules.h"
#include "net/http.h"
#include "net/http2/engine.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

// Small, so that the fuzzer gets past it.
constexpr size_t kBodyMax = 64;
constexpr int kTurnsMax = 100'000;
// An empty SETTINGS frame: what every client sends first.
constexpr std::string_view kSettings("\0\0\0\4\0\0\0\0\0", 9);

/// Answers every request, at once or later, and checks the request.
class Answering final : public net::ServerEngine::Events {
 public:
  net::HeadVerdict OnHead(net::Request& head) override {
    DRAY_CHECK(head.body.empty());
    return head.method != "STRANGE" ? net::HeadVerdict::kTaken : net::HeadVerdict::kStranger;
  }
  void OnRequest(net::StreamId stream, net::Request request) override {
    DRAY_CHECK(request.body.size() <= kBodyMax);
    DRAY_CHECK(request.body_state == net::BodyState::kWhole || request.body.empty());
    DRAY_CHECK(net::IsToken(request.method));
    DRAY_CHECK(net::IsTarget(request.target));
    DRAY_CHECK(request.headers.size() <= net::kHeadFieldsMax + 1);  // Host is added
    for (size_t i = 0; i < request.headers.size(); ++i) {
      DRAY_CHECK(net::IsToken(request.headers.at(i).first));
      DRAY_CHECK(net::IsFieldValue(request.headers.at(i).second));
    }
    if (request.method == "GET") {
      engine->Respond(stream, {}, net::Bytes(std::move(request.body)));
      return;
    }
    DRAY_CHECK(open.insert(stream).second);
    engine->Start(stream, {});
    engine->Write(stream, net::Bytes("piece "));
  }
  void OnClosed(net::StreamId stream) override { DRAY_CHECK(open.erase(stream) == 1); }

  void FinishAll() {
    for (const net::StreamId stream : std::exchange(open, {})) {
      if (stream % 4 == 3) {
        engine->Reset(stream);
      } else {
        engine->Finish(stream);
      }
    }
  }

  net::ServerEngine* engine = nullptr;
  std::set<net::StreamId> open;  // answers that are not complete
};

bool Drain(net::http2::Engine& engine, size_t max) {
  std::array<char, 4096> part{};
  const size_t size = engine.Peek(std::span(part).first(std::min(max, part.size())));
  DRAY_CHECK(size <= max);
  engine.Consume(size);
  return size > 0;
}

/// Plays the whole of `input` to a fresh engine in pieces of `piece` bytes.
void Play(std::string_view input, size_t piece) {
  Answering events;
  net::http2::Engine engine(
      events, {.body_bytes_max = kBodyMax}, {.body_ticks = 2, .stall_ticks = 2});
  events.engine = &engine;
  engine.Feed(net::http2::kPreface);
  engine.Feed(kSettings);
  while (!input.empty() && engine.wants_read()) {
    const std::string_view next = input.substr(0, piece);
    engine.Feed(next);
    input.remove_prefix(next.size());
  }
  engine.Tick();
  for (int turn = 0; Drain(engine, 1 + piece * 7); ++turn) DRAY_CHECK(turn < kTurnsMax);
  events.FinishAll();
  engine.Shutdown();
  engine.EndInput();
  // With time every stream ends, also those that the peer left open.
  for (int turn = 0; turn < 8; ++turn) {
    engine.Tick();
    while (Drain(engine, 4096)) {
    }
    events.FinishAll();
  }
  DRAY_CHECK(events.open.empty());
  DRAY_CHECK(engine.wants_close());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const size_t piece = 1 + static_cast<unsigned char>(input.front()) % 17;
  Play(input.substr(1), input.size());
  Play(input.substr(1), piece);
  return 0;
}
