// SPDX-License-Identifier: Apache-2.0
// The requests of one reactor that are under way: since when, and what each is waiting for. The
// metrics read the age of the oldest one, and the log names those that have waited long.
//
// A request is under way from the end of its head until the socket has taken the last byte of its
// answer. A long-running request (a watch) is under way only until its answer begins: after that it
// lasts by design.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/world.h"
#include "net/http.h"

namespace dray::net {

/// A request that has waited this long is logged, and once more after the second time.
inline constexpr std::chrono::seconds kLongWait{10};
inline constexpr std::chrono::seconds kVeryLongWait{60};
/// One reactor logs at most so many of these lines in each interval, then how many it left out.
inline constexpr size_t kWaitLinesMax = 10;
inline constexpr std::chrono::seconds kWaitLinesInterval{10};
/// Bytes of a client's text in such a line.
inline constexpr size_t kTrackedTargetBytesMax = 256;
inline constexpr size_t kTrackedAgentBytesMax = 128;
inline constexpr size_t kTrackedMethodBytesMax = 16;
inline constexpr size_t kTrackedPeerBytesMax = 64;
/// Entries of ended requests that are kept for the next ones. They hold half a kilobyte each.
inline constexpr size_t kSpareEntriesMax = 64;

/// What a request under way is waiting for.
enum class RequestProgress : uint8_t {
  kReading,   // the rest of its body
  kDeciding,  // its handler
  kWriting,   // nothing: its answer is being written
  kPeerSlow,  // the peer, which takes no more of the answer now
};

/// "reading", "deciding", "writing", "peer slow".
std::string_view NameOf(RequestProgress progress);

/// What /metrics says about the requests of a server.
struct RequestWaits {
  std::chrono::nanoseconds oldest_age{0};  // of the oldest request under way; 0: there is none
  uint64_t answers_waited_for_peer = 0;    // since the start
};

class TrackedRequest;

/// Belongs to one reactor's thread, except waits(). Outlives its TrackedRequests.
class RequestTracker {
 public:
  /// The clock outlives it.
  explicit RequestTracker(const Clock& clock) : clock_(clock) {}
  ~RequestTracker() = default;
  RequestTracker(const RequestTracker&) = delete;
  RequestTracker& operator=(const RequestTracker&) = delete;

  /// A request whose head is complete; it ends with the handle. O(1): reads the clock, copies at
  /// most half a kilobyte, and allocates only when no spare entry is left.
  TrackedRequest Begin(const Request& head, RequestProgress progress);

  /// Safe from any thread, without a lock.
  RequestWaits waits() const;

  /// Logs each request that has waited for kLongWait, and again for kVeryLongWait. Call it with
  /// each tick. O(requests older than kLongWait).
  void LogLongWaits(const Log& log);

 private:
  friend class TrackedRequest;

  /// The beginning of a text, without memory of its own.
  template <size_t kBytesMax>
  class ShortText {
   public:
    void Set(std::string_view text) {
      is_cut_ = text.size() > kBytesMax;
      size_ = static_cast<uint16_t>(text.copy(bytes_.data(), kBytesMax));
    }
    std::string text() const { return std::string(bytes_.data(), size_) + (is_cut_ ? "…" : ""); }

   private:
    std::array<char, kBytesMax> bytes_;
    uint16_t size_ = 0;
    bool is_cut_ = false;
  };

  struct Entry {
    MonotonicTime began{};
    RequestProgress progress = RequestProgress::kDeciding;
    uint8_t lines = 0;        // logged or left out
    bool has_waited = false;  // for the peer
    ShortText<kTrackedMethodBytesMax> method;
    ShortText<kTrackedTargetBytesMax> target;
    ShortText<kTrackedAgentBytesMax> agent;
    ShortText<kTrackedPeerBytesMax> peer;
  };
  using Entries = std::list<Entry>;

  void End(Entries::iterator entry);
  void PublishOldest();
  void NoteWaitForPeer(Entry& entry);
  void LogOne(const Log& log, const Entry& entry, std::chrono::nanoseconds age) const;
  void BeginInterval(const Log& log, MonotonicTime now);

  static constexpr int64_t kNone = INT64_MIN;

  const Clock& clock_;
  Entries under_way_;  // oldest first
  Entries spare_;
  MonotonicTime interval_began_{};
  size_t lines_ = 0;                          // logged in this interval
  size_t left_out_ = 0;                       // of this interval
  std::atomic<int64_t> oldest_began_{kNone};  // nanoseconds of the monotonic clock
  std::atomic<uint64_t> answers_waited_{0};
};

/// One request under way: it ends when this is destroyed. An empty handle tracks nothing.
class TrackedRequest {
 public:
  TrackedRequest() = default;
  TrackedRequest(TrackedRequest&& other) noexcept;
  TrackedRequest& operator=(TrackedRequest&& other) noexcept;
  TrackedRequest(const TrackedRequest&) = delete;
  TrackedRequest& operator=(const TrackedRequest&) = delete;
  ~TrackedRequest() { End(); }

  explicit operator bool() const { return tracker_ != nullptr; }
  void End();
  /// The first kPeerSlow counts the answer as one that waited for its peer.
  void Set(RequestProgress progress);

 private:
  friend class RequestTracker;
  TrackedRequest(RequestTracker& tracker, RequestTracker::Entries::iterator entry)
      : tracker_(&tracker), entry_(entry) {}

  RequestTracker* tracker_ = nullptr;
  RequestTracker::Entries::iterator entry_;
};

}  // namespace dray::net
