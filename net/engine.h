// SPDX-License-Identifier: Apache-2.0
// A protocol without I/O, server side: bytes in, requests out; answers in, bytes out. One engine
// per connection: net/http1/engine.h or net/http2/engine.h. Streams are numbered: HTTP/1.1 answers
// one after the other, HTTP/2 many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/frozen.h"
#include "base/share_budget.h"
#include "net/http.h"
#include "net/request_tracker.h"

namespace dray::net {

using StreamId = uint64_t;

/// What a connection is waiting for; decides which time limit holds.
enum class EnginePhase : uint8_t {
  kIdle,  // between requests, nothing received
  kHead,  // part of a request head is here
  kBody,  // part of a request body is here
  kBusy,  // a request is being answered
};

/// A promise of bytes may only reserve so much before the bytes are here.
inline constexpr size_t kPromisedBytesMax = size_t{64} << 10;

/// What a request counts beside its head and body while it is under way, or its answer is.
inline constexpr size_t kRequestBytes = 1024;

/// What becomes of a request whose head is complete.
enum class HeadVerdict : uint8_t {
  kTaken,     // from a known sender
  kStranger,  // a body is skipped
  kNoRoom,    // its sender has used up its share of connections
};

/// Options of every engine.
struct EngineOptions {
  size_t body_bytes_max = size_t{3} << 20;       // Kubernetes: 3 MiB
  Frozen<Peer> peer;                             // goes into every request
  const std::string* date = nullptr;             // value of the Date field; none when null or empty
  std::shared_ptr<ShareBudget> requests = {};    // under way on all connections; null: no limit
  std::shared_ptr<RequestTracker> tracker = {};  // of the reactor; null: requests are not tracked
};

class ServerEngine {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    /// The head of a request is complete, and its body, if it has one, is not asked for yet: fills
    /// in the sender. Called inside Feed. Unless the verdict is kTaken, the request follows at once
    /// without its body.
    virtual HeadVerdict OnHead(Request& head) = 0;
    /// A whole request. Called inside Feed; may answer at once.
    virtual void OnRequest(StreamId stream, Request request) = 0;
    /// The answer of `stream` has no reader any more: the peer gave it up, or it stalled. Called
    /// inside Feed, Peek and Tick, for streams of OnRequest whose answers are not complete. Only
    /// protocols that can end a stream and keep the connection call it.
    virtual void OnClosed(StreamId /*stream*/) {}
  };

  virtual ~ServerEngine() = default;

  /// Takes all of `bytes`; they need not outlive the call. With no bytes: continues with input that
  /// was held back until an answer was complete. Call it so after every answer and after Consume.
  virtual void Feed(std::string_view bytes) = 0;

  /// Copies the next output to `out` without removing it, and returns its size. The same bytes come
  /// again, possibly more, until Consume: what OpenSSL asks of a repeated write.
  virtual size_t Peek(std::span<char> out) = 0;
  /// Whether Peek gives output now.
  virtual bool wants_write() const = 0;
  /// Removes the first `size` bytes, which were peeked before.
  virtual void Consume(size_t size) = 0;

  /// False while enough input waits already, or none will be looked at any more.
  virtual bool wants_read() const = 0;
  /// True once nothing more will be sent: the output is drained and the connection shall close.
  virtual bool wants_close() const = 0;
  virtual EnginePhase phase() const = 0;
  /// Ends after the answers under way; at once when there are none and no farewell is due.
  virtual void Shutdown() = 0;
  /// The peer sends no more: as Shutdown, and what it began to ask is dropped.
  virtual void EndInput() = 0;
  /// One tick of the reactor has passed: ends the streams whose own time limits are over.
  virtual void Tick() {}

  /// Answers. `stream` is one that OnRequest named and that is not finished yet.
  virtual void Respond(StreamId stream, ResponseHead head, Body body) = 0;
  virtual void Start(StreamId stream, ResponseHead head) = 0;
  virtual void Write(StreamId stream, Bytes piece) = 0;
  virtual void Finish(StreamId stream) = 0;
  /// Breaks the answer off, so that the peer sees that it is incomplete. False: this takes the end
  /// of the whole connection.
  virtual bool Reset(StreamId /*stream*/) { return false; }
  /// The request of `stream` takes long by design: it is not tracked as one that waits.
  virtual void MarkLongRunning(StreamId stream) = 0;
  /// The socket has no room for the bytes that Peek showed. Call it each time a write would block;
  /// the next Consume says that there was room again. O(unsent answers).
  virtual void OnSocketFull() = 0;
  /// Bytes kept for this connection: input not delivered yet, and output not consumed.
  virtual size_t held_bytes() const = 0;
  /// Bytes kept of requests whose heads are not complete, which no claim covers. O(1).
  virtual size_t unclaimed_bytes() const = 0;
  /// Output of `stream` not consumed yet.
  virtual size_t queued_bytes(StreamId stream) const = 0;
  /// What one stream may have queued now.
  virtual size_t queue_bytes_max() const { return kStreamQueueBytesMax; }
};

/// Tracks a request whose head is complete, if requests are tracked.
TrackedRequest Track(const Request& head, bool has_body, const EngineOptions& options);
/// What the head of a request counts.
size_t HeadBytes(const Request& request);
/// The head of a request is complete, and was judged; `length` bytes of body follow, if the peer
/// said so. Claims what it is going to hold, and says by `body_state` whether the body will be
/// read. What strangers hold is counted by their connections.
void BeginRequest(Request& request,
                  HeadVerdict verdict,
                  bool has_body,
                  std::optional<uint64_t> length,
                  const EngineOptions& options);
/// After bytes came: whether the body may still be read; if not, what there is of it goes.
void CheckBody(Request& request, const EngineOptions& options);

}  // namespace dray::net
