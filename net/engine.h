// SPDX-License-Identifier: Apache-2.0
// A protocol without I/O, server side: bytes in, requests out; answers in, bytes out. One engine
// per connection. HTTP/1.1 is net/http1/engine.h; the streams are numbered so that HTTP/2 fits the
// same shell (its room would be net/http2/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/http.h"

namespace dray::net {

using StreamId = uint64_t;

/// What a connection is waiting for; decides which time limit holds.
enum class EnginePhase : uint8_t {
  kIdle,  // between requests, nothing received
  kHead,  // part of a request head is here
  kBody,  // part of a request body is here
  kBusy,  // a request is being answered
};

class ServerEngine {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    /// The head of a request is complete, and its body, if it has one, is not asked for yet. Called
    /// inside Feed. False: the body is skipped, the request follows at once without it.
    virtual bool OnHead(const Request& head, bool has_body) = 0;
    /// A whole request. Called inside Feed; may answer at once.
    virtual void OnRequest(StreamId stream, Request request) = 0;
  };

  virtual ~ServerEngine() = default;

  /// Takes all of `bytes`; they need not outlive the call. With no bytes: goes on with what was
  /// held back until an answer was complete. Call it so after every answer and after Consume.
  virtual void Feed(std::string_view bytes) = 0;

  /// Copies the next output to `out` without removing it, and returns its size. The same bytes come
  /// again, possibly more, until Consume: what OpenSSL asks of a repeated write.
  virtual size_t Peek(std::span<char> out) const = 0;
  /// Removes the first `size` bytes, which were peeked before.
  virtual void Consume(size_t size) = 0;

  /// False while enough input waits already, or none will be looked at any more.
  virtual bool wants_read() const = 0;
  /// True once nothing more will be sent: the output is drained and the connection shall close.
  virtual bool wants_close() const = 0;
  virtual EnginePhase phase() const = 0;
  /// Ends after the answers under way; at once when there are none.
  virtual void Shutdown() = 0;

  /// Answers. `stream` is one that OnRequest named and that is not finished yet.
  virtual void Respond(StreamId stream, ResponseHead head, Bytes body) = 0;
  virtual void Start(StreamId stream, ResponseHead head) = 0;
  virtual void Write(StreamId stream, Bytes piece) = 0;
  virtual void Finish(StreamId stream) = 0;
  /// Bytes kept for this connection: input not delivered yet, and output not consumed.
  virtual size_t held_bytes() const = 0;
  /// Output of `stream` not consumed yet.
  virtual size_t queued_bytes(StreamId stream) const = 0;
};

}  // namespace dray::net
