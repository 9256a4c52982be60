// SPDX-License-Identifier: Apache-2.0
// What the scheduler writes about pods that nobody waits for: events, and conditions that say why a
// pod has no node. Decisions do not wait for these writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "api/object.h"
#include "api/value/time.h"
#include "base/fair_queue.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/event_recorder.h"
#include "scheduler/reports/pod_writes.h"

namespace dray::scheduler::inline reports {

/// Everything but Run and Stop belongs to the scheduler's thread. Where another thread runs Run,
/// the reports of one namespace wait in a line of its own, and lines take turns; a report that
/// finds the line full is dropped: the next attempt makes another one.
class Reporter {
 public:
  enum class Place { kHere, kElsewhere };
  /// Reports of one namespace that wait, and of all.
  static constexpr size_t kLineMax = 512;
  static constexpr size_t kQueueMax = 8192;

  /// The client and the world outlive it. kHere: Send writes; kElsewhere: Run does.
  Reporter(client::Client& client, World& world, Log log, Place place);

  void Record(const api::Object& about, client::EventText text);
  /// Writes the condition as TellWhyNotScheduled does, and leaves the nomination alone. Only for
  /// kElsewhere.
  void Tell(const api::Object& known, WhyNotScheduled why);
  bool is_elsewhere() const { return place_ == Place::kElsewhere; }

  /// Sends at most `max` events that were recorded here. True when some are left.
  bool Send(size_t max) { return !is_elsewhere() && events_.Send(max); }

  /// One round of Run, for tests: writes some of the reports that wait. False: none waits.
  bool WriteSome();
  /// Writes reports until Stop; on a thread of its own, for kElsewhere.
  void Run();
  /// From any thread. Reports that are not being written are dropped.
  void Stop();

 private:
  struct Condition {
    WhyNotScheduled why;
    api::Time at;
  };
  struct Report {
    api::Object pod;
    std::variant<client::EventText, Condition> what;
  };

  void Push(Report report);
  void WriteWith(FairQueue<Report>::Taken first);
  void Write(std::vector<Report> reports);

  client::Client& client_;
  World& world_;
  Log log_;
  const Place place_;
  client::EventRecorder events_;  // for kElsewhere, it belongs to the thread of Run
  FairQueue<Report> queue_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace dray::scheduler::inline reports
