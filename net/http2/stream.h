// SPDX-License-Identifier: Apache-2.0
// One stream of an HTTP/2 connection: a request while it comes in, then an answer while it goes
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/request_tracker.h"

namespace dray::net::http2 {

/// Shared bytes in the order in which they go out.
class OutputQueue {
 public:
  void Add(Bytes piece);
  /// Moves the first `size` <= bytes() to the end of `out`.
  void MoveTo(std::string& out, size_t size);
  size_t bytes() const { return bytes_; }

 private:
  std::vector<Bytes> pieces_;  // those before first_ are gone
  size_t first_ = 0;
  size_t offset_ = 0;  // gone of the first
  size_t bytes_ = 0;
};

/// How far the request has come.
enum class RequestState : uint8_t {
  kHead,       // its head is coming
  kBody,       // its body is
  kReady,      // it can be handed over, whole or without its body
  kDelivered,  // it was
};

/// How far the answer has come.
enum class AnswerState : uint8_t {
  kNone,
  kStreaming,  // more pieces may be written
  kComplete,   // nothing more will be; the queue may still hold something
};

struct Stream {
  explicit Stream(int32_t number) : id(number) {}

  const int32_t id;
  RequestState request_state = RequestState::kHead;
  AnswerState answer_state = AnswerState::kNone;
  Request request = {};        // until it is delivered
  size_t head_bytes = 0;       // as RFC 9113 6.5.2 counts them, also of what was dropped
  bool head_is_large = false;  // fields were dropped: 431
  bool has_host = false;       // a Host field beside or instead of :authority
  std::string authority = {};  // of the target
  bool input_ended = false;    // the peer has said all of its request
  bool is_head_request = false;
  bool lingers = false;        // answered; the rest of the request is awaited a little
  bool deferred = false;       // the session waits until it is resumed with more output
  bool is_reset = false;       // by us: it is about to close, without OnClosed
  bool is_called_off = false;  // by the peer, whatever the reason that it gave
  bool is_at_fault = false;    // the peer, for a stream that we reset: it was too slow
  OutputQueue queue = {};
  TrackedRequest tracked = {};  // until the answer is complete
  uint64_t moved_tick = 0;      // when the body began, output last moved, or the answer was out
};

}  // namespace dray::net::http2
