// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/reporter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/task.h"
#include "client/write_rounds.h"

namespace dray::scheduler::inline reports {
namespace {

// The most reports of one round, which the store flushes together.
constexpr size_t kReportsAtOnce = 32;

}  // namespace

Reporter::Reporter(client::Client& client, World& world, Log log, Place place)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      place_(place),
      events_(client, world, "default-scheduler", log_),
      queue_({.capacity = kQueueMax, .line = kLineMax, .at_once = SIZE_MAX}) {}

void Reporter::Record(const api::Object& about, client::EventText text) {
  if (!is_elsewhere()) return events_.Record(about, std::move(text));
  Push({.pod = about, .what = std::move(text)});
}

void Reporter::Enqueue(const api::Object& known, WhyNotScheduled why) {
  why.nomination = std::nullopt;
  Push({.pod = known,
        .what = Condition{.why = std::move(why), .at = api::Time::Of(world_.clock.Now())}});
}

void Reporter::Push(Report report) {
  const api::Object pod = report.pod;
  if (queue_.TryPush(std::move(report), pod.metadata().namespace_)) return;
  log_.Debug("report dropped", "pod", api::ObjectKey(pod.metadata()));
}

bool Reporter::WriteSome() {
  std::optional<FairQueue<Report>::Taken> first = queue_.TryPop();
  if (!first.has_value()) return false;
  WriteWith(*std::move(first));
  return true;
}

void Reporter::Run() {
  while (std::optional<FairQueue<Report>::Taken> first = queue_.Pop()) {
    WriteWith(*std::move(first));
  }
}

void Reporter::Stop() {
  stopping_ = true;
  queue_.Close();
}

/// Writes the report together with others that wait.
void Reporter::WriteWith(FairQueue<Report>::Taken first) {
  std::vector<Report> reports;
  for (std::optional<FairQueue<Report>::Taken> next = std::move(first); next.has_value();) {
    reports.push_back(std::move(next->value));
    queue_.Done(next->owner);
    if (reports.size() == kReportsAtOnce) break;
    next = queue_.TryPop();
  }
  if (!stopping_) Write(std::move(reports));
  while (!stopping_ && events_.Send(kReportsAtOnce)) {
  }
}

void Reporter::Write(std::vector<Report> reports) {
  client::WriteRounds rounds(client_);
  std::set<std::string> uids;  // of pods whose conditions are being written
  for (Report& report : reports) {
    if (auto* const text = std::get_if<client::EventText>(&report.what)) {
      events_.Record(report.pod, std::move(*text));
      continue;
    }
    auto& condition = std::get<Condition>(report.what);
    // The second condition of a pod must be written on top of the first one.
    if (!uids.insert(report.pod.metadata().uid).second) {
      rounds.RunAll();
      uids = {report.pod.metadata().uid};
    }
    Start(ReportNotScheduled(&rounds, report.pod, std::move(condition.why), condition.at),
          [this, key = api::ObjectKey(report.pod.metadata())](Result<api::Object> written) {
            if (written || written.error().reason == StatusReason::kNotFound) return;
            log_.Warning(
                "cannot tell why a pod waits", "pod", key, "error", written.error().message);
          });
  }
  rounds.RunAll();
}

}  // namespace dray::scheduler::inline reports
