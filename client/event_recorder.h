// SPDX-License-Identifier: Apache-2.0
// core/v1 Events: reports to people what a component did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/log.h"
#include "base/task.h"
#include "base/world.h"
#include "client/client.h"
#include "client/write_rounds.h"

namespace dray::client {

enum class EventType : uint8_t { kNormal, kWarning };

struct EventText {
  EventType type = EventType::kNormal;
  std::string reason;          // "FailedScheduling"
  std::string message;         // at most 1024 bytes are kept, the limit of the API
  std::string action;          // "Scheduling"; may be empty
  std::string component = {};  // the reporting component, if not the recorder's
};

/// Events are queued and sent when their component has nothing else to do. A repeated event
/// becomes a higher count of the first one. What does not fit the queue, or exceeds an object's
/// budget, is dropped, and so are events the server refuses: they are help, not state.
///
/// Belongs to the thread of its component.
class EventRecorder {
 public:
  struct Options {
    /// Events not sent yet.
    size_t pending_max = 10'000;
    /// Different events remembered, to count repetitions (client-go: 4096).
    size_t remembered_max = 4096;
    /// Budget of one object: a burst, then one event per interval (client-go: 25, 5 minutes).
    int burst = 25;
    int64_t interval_seconds = 300;
  };

  EventRecorder(Client& client, World& world, std::string component, Log log)
      : EventRecorder(client, world, std::move(component), std::move(log), Options{}) {}
  EventRecorder(Client& client, World& world, std::string component, Log log, Options options);

  void Record(const api::Object& about, EventText text);

  /// Sends at most `max` events. True when some are left.
  bool Send(size_t max);

 private:
  struct Seen {
    std::string key;
    api::Object stored;  // empty until sent
  };
  struct Budget {
    int left;
    int64_t refilled_at;
  };
  using SeenList = std::list<Seen>;

  bool TakeBudget(const std::string& uid, int64_t now);
  SeenList::iterator Remember(const std::string& key);
  /// `stored`: the same event, if it has been sent before.
  static Task<api::Object> Write(WriteRounds* rounds, api::Object stored, api::Object event);

  Client& client_;
  World& world_;
  std::string component_;
  Log log_;
  Options options_;
  struct Pending {
    std::string key;
    api::Object event;
  };
  std::deque<Pending> pending_;
  SeenList seen_;  // newest first
  std::map<std::string, SeenList::iterator, std::less<>> seen_by_key_;
  std::map<std::string, Budget, std::less<>> budgets_;
};

}  // namespace dray::client
