// SPDX-License-Identifier: Apache-2.0
// Events, and conditions that explain why a pod has no node. Scheduling decisions do not wait for
// these writes.
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

/// Only the scheduler's thread may call functions other than Run and Stop. If another thread runs
/// Run, each namespace has a queue of reports, and the queues take turns. A report that finds its
/// queue full is dropped, because the next attempt makes another one.
class Reporter {
 public:
  enum class Place { kHere, kElsewhere };
  /// The most waiting reports of one namespace, and of all.
  static constexpr size_t kLineMax = 512;
  static constexpr size_t kQueueMax = 8192;

  /// The client and the world must outlive it. kHere: Send writes; kElsewhere: Run writes.
  Reporter(client::Client& client, World& world, Log log, Place place);

  void Record(const api::Object& about, client::EventText text);
  /// Writes the condition as ReportNotScheduled does, without the nomination. Only for kElsewhere.
  void Enqueue(const api::Object& known, WhyNotScheduled why);
  bool is_elsewhere() const { return place_ == Place::kElsewhere; }

  /// Sends at most `max` events that were recorded here. True: some are left.
  bool Send(size_t max) { return !is_elsewhere() && events_.Send(max); }

  /// One round of Run, for tests: writes some of the waiting reports. False: there is none.
  bool WriteSome();
  /// Writes reports until Stop; on a thread of its own, for kElsewhere.
  void Run();
  /// Safe on any thread. Drops reports that are not being written.
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
  client::EventRecorder events_;  // for kElsewhere only Run may use it
  FairQueue<Report> queue_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace dray::scheduler::inline reports
