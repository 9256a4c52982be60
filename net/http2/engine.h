// SPDX-License-Identifier: Apache-2.0
// HTTP/2 for a server, without I/O (RFC 9113): frames, header compression and flow control are
// nghttp2's; requests, answers, and what a peer may do are decided here.
//
// Streams are answered in any order and share the connection by turns of one frame. One whose peer
// takes nothing holds up no other: its answer waits in its queue. A request that breaks the rules
// of messages is reset; a peer that breaks those of the connection, or goes past a limit, gets a
// GOAWAY with the reason and loses the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/engine.h"
#include "net/http.h"
#include "net/http2/limits.h"
#include "net/http2/session.h"
#include "net/http2/stream.h"
#include "net/unsent_answers.h"

namespace dray::net::http2 {

class AnswerFields;

/// How a connection of a client that knows the server's protocol begins (RFC 9113 3.4). No method
/// of HTTP/1.1 is called PRI.
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct Limits {
  uint32_t streams_max = kStreamsMax;
  uint64_t body_ticks = 0;   // for a request's body to come; 0: no limit
  uint64_t stall_ticks = 0;  // that an answer waits for the peer to take something; 0: no limit
};

class Engine final : public ServerEngine, private SessionEvents {
 public:
  /// `events` outlives the engine.
  Engine(Events& events, EngineOptions options, Limits limits = {});
  ~Engine() override;

  void Feed(std::string_view bytes) override;
  size_t Peek(std::span<char> out) override;
  bool wants_write() const override;
  void Consume(size_t size) override;
  bool wants_read() const override;
  bool wants_close() const override;
  EnginePhase phase() const override;
  /// Sends a GOAWAY that names no stream first, and refuses new streams only when the peer has
  /// received it, so nothing that the peer sent in between is lost.
  void Shutdown() override;
  void EndInput() override;
  void Tick() override;

  void Respond(StreamId stream, ResponseHead head, Body body) override;
  void Start(StreamId stream, ResponseHead head) override;
  void Write(StreamId stream, Bytes piece) override;
  void Finish(StreamId stream) override;
  bool Reset(StreamId stream) override;
  void MarkLongRunning(StreamId stream) override;
  void OnSocketFull() override { unsent_.OnSocketFull(); }
  size_t held_bytes() const override;
  size_t unclaimed_bytes() const override;
  size_t queued_bytes(StreamId stream) const override;
  size_t queue_bytes_max() const override;

 private:
  void OnBeginHead(int32_t id) override;
  bool OnField(int32_t id, std::string_view name, std::string_view value) override;
  void OnFrame(const nghttp2_frame& frame) override;
  void OnBodyBytes(int32_t id, std::string_view bytes) override;
  void OnSent(const nghttp2_frame& frame) override;
  void OnStreamClose(int32_t id, uint32_t error_code) override;
  size_t OnReadOutput(Stream& stream, size_t size_max, bool& ended) override;
  bool OnSendOutput(Stream& stream, std::string_view frame_head, size_t size) override;

  void OnHeadEnd(Stream& stream, bool has_body);
  void OnInputEnd(Stream& stream);
  void StoreField(Stream& stream, std::string_view name, std::string_view value);
  bool CheckHead(Stream& stream);
  void Trust();
  void Refuse(Stream& stream, int status, std::string_view why);
  void Submit(Stream& stream, const AnswerFields& fields, bool has_body);
  void Resume(Stream& stream);
  void ResetStream(Stream& stream, uint32_t error_code);
  void Terminate(uint32_t error_code);
  bool IsLate(Stream& stream) const;
  void Hand();
  void ReportClosed();
  void Note(int result);
  Stream* Find(StreamId stream) const;
  size_t pending() const { return output_.size() - offset_; }

  Events& events_;
  const EngineOptions options_;
  const Limits limits_;
  SessionPtr session_;
  std::unordered_map<int32_t, std::unique_ptr<Stream>> streams_;
  std::vector<int32_t> ready_;   // requests to hand over
  std::vector<int32_t> closed_;  // streams to tell about

  std::string output_;       // frames, written and not consumed
  size_t offset_ = 0;        // consumed of it
  size_t wanted_ = 0;        // output that Peek asks for
  size_t queued_bytes_ = 0;  // on all streams
  UnsentAnswers unsent_;

  int32_t head_stream_ = 0;  // whose head is coming; 0: none
  bool greeted_ = false;     // the preface and the peer's settings are here
  bool trusted_ = false;     // a sender was known
  bool shutting_down_ = false;
  bool failed_ = false;  // nothing works any more: memory is short, or the peer speaks no HTTP/2
  uint32_t resets_left_ = kResetsMax;
  uint64_t tick_ = 0;
};

}  // namespace dray::net::http2
