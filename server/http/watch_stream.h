// SPDX-License-Identifier: Apache-2.0
// One watch of one client: takes events from a cursor when the client can receive them, and writes
// them as lines of a streamed answer.
//
// A stream runs on its reactor's thread. Its scope calls Pump() when there are new events. Events
// that the client does not receive stay in the store, not in memory here. When the store drops
// events that a slow client still needs, the cursor returns an error and the stream ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/share_budget.h"
#include "base/world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/audit/request.h"
#include "server/documents/render.h"
#include "server/http/request_metrics.h"
#include "server/http/watch_scope.h"
#include "server/verbs/watches/watch_cursor.h"

namespace dray::server::http {

/// The most events taken from the cursor at once, and the most lines and bytes written in one turn,
/// before other work of the reactor.
inline constexpr size_t kWatchBatchMax = 128;
inline constexpr size_t kWatchTurnBytes = size_t{256} << 10;
/// Bytes in a client's queue that do not count against its share.
inline constexpr size_t kWatchFreeBytes = size_t{16} << 10;
/// The interval of bookmarks of an idle watch, and the time of the last one before the end.
inline constexpr std::chrono::seconds kBookmarkInterval{60};
inline constexpr std::chrono::seconds kBookmarkBeforeEnd{2};

/// State that all watches share; it outlives them.
struct WatchWorld {
  WatchScopes& scopes;
  const Clock& clock;
};

/// The answer of one watch.
struct WatchAnswer {
  net::ResponseHead head;
  documents::Rendering rendering;
  RequestMetrics::OpenWatch counted;
  ShareBudget::Claim queued = {};  // on the budget of answers that clients have not received
  std::shared_ptr<audit::AuditedRequest> audited = nullptr;  // null: no audit events
};

class WatchStream final : public ScopeMember, public std::enable_shared_from_this<WatchStream> {
 public:
  /// Sends the head at once and streams until the client closes the connection, the watch's time is
  /// over, or the cursor returns an error. On the reactor's thread.
  static void Run(std::unique_ptr<verbs::WatchCursor> cursor,
                  std::shared_ptr<net::Responder> responder,
                  WatchAnswer answer,
                  const WatchWorld& world);

  WatchStream(std::unique_ptr<verbs::WatchCursor> cursor,
              std::shared_ptr<net::Responder> responder,
              WatchAnswer& answer,
              std::shared_ptr<WatchScope> scope,
              const Clock& clock);
  ~WatchStream() override;
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  void Pump() override;

 private:
  void Begin(net::ResponseHead head);
  void TakeTurn();
  void GoOnSoon();
  void LeaveScope();
  bool Send(const verbs::WatchEvent& event);
  bool Write(net::Bytes line);
  void WriteHeld();
  void SendBookmark();
  void RepeatBookmark();
  bool HoldQueued();
  void Finish();
  void EndBy(void (net::Responder::*end)());

  std::unique_ptr<verbs::WatchCursor> cursor_;
  std::shared_ptr<net::Responder> responder_;  // null once the stream is over
  documents::Rendering rendering_;
  const RequestMetrics::OpenWatch counted_;
  ShareBudget::Claim queued_;  // the client's queue, if it has more than kWatchFreeBytes
  const std::shared_ptr<audit::AuditedRequest> audited_;
  std::shared_ptr<WatchScope> scope_;
  const Clock& clock_;
  bool in_scope_ = false;
  bool continues_ = false;                 // a turn is posted
  std::vector<verbs::WatchEvent> events_;  // taken from the cursor, in order
  size_t next_ = 0;                        // of events_
  size_t sent_bytes_ = 0;
  std::optional<net::Bytes> held_;  // a line for which the queue had no room
  bool columns_sent_ = false;
  net::Timer bookmark_, last_bookmark_, end_;
};

}  // namespace dray::server::http
