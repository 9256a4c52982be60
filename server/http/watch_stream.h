// SPDX-License-Identifier: Apache-2.0
// One watch on its way to one client: events are taken from a cursor when the client can take them,
// and written as lines of a streamed answer.
//
// A stream lives on its reactor's thread. Its scope tells it that there is something new. What the
// client does not take stays in the store, not in memory here; when history runs out under a slow
// reader, the cursor says so and the stream ends.
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
#include "server/verbs/watch_cursor.h"

namespace dray::server::http {

/// Events taken from the cursor at once, and lines written before other work of the reactor gets
/// its turn.
inline constexpr size_t kWatchBatchMax = 128;
inline constexpr size_t kWatchTurnBytes = size_t{256} << 10;
/// What a client may leave in its queue that does not count in its share.
inline constexpr size_t kWatchFreeBytes = size_t{16} << 10;
/// How often a client learns how far an idle watch has come, and how long before the end it does.
inline constexpr std::chrono::seconds kBookmarkInterval{60};
inline constexpr std::chrono::seconds kBookmarkBeforeEnd{2};

/// What all watches share; outlives them.
struct WatchWorld {
  WatchScopes& scopes;
  const Clock& clock;
};

/// How one watch is answered.
struct WatchAnswer {
  net::ResponseHead head;
  documents::Rendering rendering;
  RequestMetrics::OpenWatch counted;
  ShareBudget::Claim queued = {};  // of answers that wait for their clients
  std::shared_ptr<audit::AuditedRequest> audited = nullptr;  // null: nothing is written about it
};

class WatchStream final : public ScopeMember, public std::enable_shared_from_this<WatchStream> {
 public:
  /// Sends the head at once and streams until the client goes away, the cursor's time is over, or
  /// the cursor ends with an error. On the reactor's thread.
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
  ShareBudget::Claim queued_;  // what the client has not taken, if that is much
  const std::shared_ptr<audit::AuditedRequest> audited_;
  std::shared_ptr<WatchScope> scope_;
  const Clock& clock_;
  bool in_scope_ = false;
  bool goes_on_ = false;                   // a turn is posted
  std::vector<verbs::WatchEvent> events_;  // taken from the cursor, in order
  size_t next_ = 0;                        // of events_
  size_t sent_bytes_ = 0;
  std::optional<net::Bytes> held_;  // a line the client had no room for
  bool columns_sent_ = false;
  net::Timer bookmark_, last_bookmark_, end_;
};

}  // namespace dray::server::http
