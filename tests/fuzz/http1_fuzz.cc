// SPDX-License-Identifier: Apache-2.0
// Any bytes into the HTTP/1.1 engine, in pieces of any size, with the output drained or left to
// wait. It must answer or close, keep to its limits, and give the same answers for any division of
// its input.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/http1/engine.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

// Small, so that the fuzzer gets past it.
constexpr size_t kBodyMax = 64;
// Feeds and drains allowed after the last input before the engine must have come to rest.
constexpr int kTurnsMax = 100'000;

/// Answers every request at once, in one piece or as a stream, and checks the request.
class Answering final : public net::ServerEngine::Events {
 public:
  net::HeadVerdict OnHead(net::Request& head) override {
    DRAY_CHECK(head.body.empty());
    return head.method != "STRANGE" ? net::HeadVerdict::kTaken : net::HeadVerdict::kStranger;
  }
  void OnRequest(net::StreamId stream, net::Request request) override {
    DRAY_CHECK(request.body.size() <= kBodyMax);
    DRAY_CHECK(request.body_state == net::BodyState::kWhole || request.body.empty());
    DRAY_CHECK(!request.method.empty());
    DRAY_CHECK(request.target.find_first_of(" \r\n") == std::string::npos);
    ++requests;
    if (request.method == "PUT") {
      engine->Start(stream, {});
      engine->Write(stream, net::Bytes("piece "));
      engine->Write(stream, net::Bytes(std::move(request.body)));
      engine->Finish(stream);
    } else {
      engine->Respond(stream, {}, net::Bytes(std::move(request.body)));
    }
  }

  net::ServerEngine* engine = nullptr;
  size_t requests = 0;
};

struct Outcome {
  std::string output;
  size_t requests = 0;
  bool closed = false;
};

/// Takes at most `max` bytes of output; true when there were any.
bool Drain(net::http1::Engine& engine, size_t max, std::string& output) {
  std::array<char, 4096> part{};
  const size_t size = engine.Peek(std::span(part).first(std::min(max, part.size())));
  DRAY_CHECK(size <= max);
  output.append(part.data(), size);
  engine.Consume(size);
  return size > 0;
}

/// Plays the whole of `input` to a fresh engine in pieces of `piece` bytes.
Outcome Play(std::string_view input, size_t piece, size_t drain) {
  Answering events;
  net::http1::Engine engine(events, {.body_bytes_max = kBodyMax});
  events.engine = &engine;
  Outcome outcome;
  while (!input.empty() && !engine.wants_close()) {
    const std::string_view next = input.substr(0, piece);
    // Like the reactor, does not read while the engine refuses input.
    if (engine.wants_read()) {
      engine.Feed(next);
      input.remove_prefix(next.size());
    } else {
      engine.Feed({});
      const bool progress = Drain(engine, drain, outcome.output);
      if (!progress && !engine.wants_read()) break;
    }
  }
  for (int turn = 0;; ++turn) {
    DRAY_CHECK(turn < kTurnsMax);
    const bool progress = Drain(engine, drain, outcome.output);
    engine.Feed({});
    if (!progress) break;
  }
  outcome.requests = events.requests;
  outcome.closed = engine.wants_close();
  // All requests are answered, so the engine has no request in progress, and wants more input.
  DRAY_CHECK(outcome.closed || (engine.phase() != net::EnginePhase::kBusy && engine.wants_read()));
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const size_t piece = 1 + static_cast<unsigned char>(input.front()) % 17;
  const Outcome whole = Play(input.substr(1), input.size(), 4096);
  const Outcome pieces = Play(input.substr(1), piece, 1 + piece * 7);
  DRAY_CHECK(whole.requests == pieces.requests);
  DRAY_CHECK(whole.output == pieces.output);
  DRAY_CHECK(whole.closed == pieces.closed);
  // An answer, or silence because nothing complete came in; never something else.
  DRAY_CHECK(whole.output.empty() || whole.output.starts_with("HTTP/1.1 "));
  return 0;
}
