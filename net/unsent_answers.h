// SPDX-License-Identifier: Apache-2.0
// The complete answers of one connection whose bytes the socket has not all taken. An engine notes
// here what becomes of its output, so that the tracker knows which answers wait for the peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/request_tracker.h"

namespace dray::net {

/// Without a tracker it holds nothing. Each call is O(answers in here), most often none or one.
class UnsentAnswers {
 public:
  /// The answer of `stream` is complete, and its first byte not produced yet.
  void Add(uint64_t stream, TrackedRequest request);
  /// The last byte of the answer is in the output, at the end of `pending` bytes that are not
  /// consumed yet.
  void EndOutput(uint64_t stream, size_t pending);
  /// `stream` has closed: its answer ends here, unless all of it is in the output already.
  void OnClosed(uint64_t stream);
  /// The socket took `size` bytes of the output.
  void OnConsumed(size_t size);
  /// The socket has no room: every answer waits for the peer.
  void OnSocketFull();
  /// No more output can be produced for now: the answers that are not all in the output wait for
  /// the peer to open a window (HTTP/2).
  void OnWindowsShut();

  size_t held_bytes() const { return answers_.size() * kHeldBytes; }

 private:
  struct Answer {
    uint64_t stream = 0;
    TrackedRequest request;
    std::optional<uint64_t> end = {};  // its last byte, counted from the connection's first
  };
  // An answer, and its entry in the tracker.
  static constexpr size_t kHeldBytes = 1024;

  std::vector<Answer>::iterator FindOpen(uint64_t stream);

  std::vector<Answer> answers_;
  uint64_t consumed_ = 0;
  bool socket_is_full_ = false;
};

}  // namespace dray::net
