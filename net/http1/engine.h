// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 for a server, without I/O (RFC 9112): keep-alive, pipelining (answered strictly one
// after the other), Expect: 100-continue, chunked bodies both ways.
//
// A malformed request is answered here, with plain text, and ends the connection. A body that is
// not to be read is the embedder's to answer: the request arrives with its BodyState, without 100
// Continue and without its body, and its answer ends the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "net/engine.h"
#include "net/http.h"
#include "net/http1/reader.h"
#include "net/request_tracker.h"
#include "net/unsent_answers.h"

namespace dray::net::http1 {

/// Input kept while a request is being answered; beyond it reading stops until the answer is out.
inline constexpr size_t kPipelinedBytesMax = size_t{64} << 10;

class Engine final : public ServerEngine {
 public:
  /// `events` outlives the engine.
  Engine(Events& events, EngineOptions options);

  void Feed(std::string_view bytes) override;
  size_t Peek(std::span<char> out) override;
  bool wants_write() const override;
  void Consume(size_t size) override;
  bool wants_read() const override;
  bool wants_close() const override;
  EnginePhase phase() const override;
  void Shutdown() override;
  void EndInput() override { Shutdown(); }

  void Respond(StreamId stream, ResponseHead head, Body body) override;
  void Start(StreamId stream, ResponseHead head) override;
  void Write(StreamId stream, Bytes piece) override;
  void Finish(StreamId stream) override;
  void MarkLongRunning(StreamId stream) override;
  void OnSocketFull() override { unsent_.OnSocketFull(); }
  size_t held_bytes() const override;
  size_t unclaimed_bytes() const override;
  size_t queued_bytes(StreamId stream) const override;

 private:
  /// One run of output: framing before, shared bytes, framing after.
  struct Piece {
    std::string head;
    Bytes body;
    std::string_view tail;  // a literal
    size_t size() const { return head.size() + body.size() + tail.size(); }
  };

  enum class Framing : uint8_t { kLength, kChunked, kUntilClose, kNone };

  bool may_parse() const;
  void Parse(std::string_view& bytes);
  void EndHead();
  void Deliver();
  void Fail(int status, std::string_view why);
  std::string Serialize(const ResponseHead& head, Framing framing, size_t length) const;
  void Queue(Piece piece);
  void EndAnswer();

  Events& events_;
  const EngineOptions options_;
  Reader reader_{Reader::Role::kRequest};
  Request request_;          // under way, once its head is complete
  bool head_ended_ = false;  // it is
  std::string held_;         // input of later requests

  StreamId stream_ = 0;  // of the newest request
  bool busy_ = false;    // it is being answered
  bool in_feed_ = false;
  bool head_request_ = false;
  bool http10_ = false;
  bool keep_alive_ = true;  // as the newest request wants it
  Framing framing_ = Framing::kNone;
  bool ending_ = false;  // nothing is read any more; closes once the output is out

  std::deque<Piece> output_;
  size_t output_offset_ = 0;  // consumed of the first piece
  size_t output_bytes_ = 0;
  TrackedRequest tracked_;  // the newest request, until its answer is complete
  UnsentAnswers unsent_;
};

}  // namespace dray::net::http1
