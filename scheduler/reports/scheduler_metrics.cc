// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/scheduler_metrics.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace dray::scheduler::inline reports {
namespace {

using metrics::Description;

constexpr Description kAttempts{.name = "scheduler_schedule_attempts_total",
                                .help = "Attempts to give a pod a node, by how they ended."};
constexpr Description kAttemptSeconds{.name = "scheduler_scheduling_attempt_duration_seconds",
                                      .help = "One attempt, decision and binding, in seconds."};
constexpr Description kDecisionSeconds{.name = "scheduler_scheduling_algorithm_duration_seconds",
                                       .help = "The decision about one pod, in seconds."};
constexpr Description kUntilScheduled{
    .name = "scheduler_pod_scheduling_sli_duration_seconds",
    .help = "From a pod's arrival to its node, in seconds, by the number of attempts."};
constexpr Description kAttemptsOfPod{.name = "scheduler_pod_scheduling_attempts",
                                     .help = "Attempts that a pod took to get its node."};
constexpr Description kPreemptions{.name = "scheduler_preemption_attempts_total",
                                   .help = "How often room was looked for by removing pods."};
constexpr Description kVictims{.name = "scheduler_preemption_victims",
                               .help = "Pods that had to go for one other."};
constexpr Description kPending{
    .name = "scheduler_pending_pods",
    .help = "Pods, and groups of pods, that wait for nodes, by the queue they are in."};
constexpr Description kCache{.name = "scheduler_cache_size",
                             .help = "What the scheduler knows, by type."};

constexpr int kFirstShownTogether = 15;  // attempts; as upstream

/// `count` bounds, each twice the one before.
std::vector<double> Doubling(double first, size_t count) {
  std::vector<double> bounds(count, first);
  for (size_t i = 1; i < count; ++i) bounds[i] = 2 * bounds[i - 1];
  return bounds;
}

std::vector<double> SecondsBounds() {
  return Doubling(0.001, 15);
}

std::string_view WordOf(AttemptResult result) {
  switch (result) {
    case AttemptResult::kScheduled: return "scheduled";
    case AttemptResult::kUnschedulable: return "unschedulable";
    case AttemptResult::kError: return "error";
  }
  return "error";
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(metrics::Registry& registry)
    : registry_(registry),
      decision_(registry.HistogramOf(kDecisionSeconds, SecondsBounds())),
      attempts_(registry.HistogramOf(kAttemptsOfPod, Doubling(1, 5))),
      victims_(registry.HistogramOf(kVictims, Doubling(1, 7))),
      preemptions_(registry.CounterOf(kPreemptions)),
      active_(registry.GaugeOf(kPending, {{"queue", "active"}})),
      backoff_(registry.GaugeOf(kPending, {{"queue", "backoff"}})),
      unschedulable_(registry.GaugeOf(kPending, {{"queue", "unschedulable"}})),
      gated_(registry.GaugeOf(kPending, {{"queue", "gated"}})),
      nodes_(registry.GaugeOf(kCache, {{"type", "nodes"}})),
      pods_(registry.GaugeOf(kCache, {{"type", "pods"}})),
      assumed_pods_(registry.GaugeOf(kCache, {{"type", "assumed_pods"}})) {}

void SchedulerMetrics::CountAttempt(AttemptResult result,
                                    const std::string& profile,
                                    double seconds) {
  auto found = series_.find({result, profile});
  if (found == series_.end()) {
    const metrics::Labels labels = {{"result", std::string(WordOf(result))}, {"profile", profile}};
    found =
        series_
            .emplace(
                std::pair(result, profile),
                Series{.attempts = registry_.CounterOf(kAttempts, labels),
                       .seconds = registry_.HistogramOf(kAttemptSeconds, SecondsBounds(), labels)})
            .first;
  }
  found->second.attempts.Add();
  found->second.seconds.Observe(seconds);
}

void SchedulerMetrics::CountScheduled(int attempts, double seconds) {
  attempts_.Observe(attempts);
  const int shown = std::min(attempts, kFirstShownTogether);
  auto found = until_scheduled_.find(shown);
  if (found == until_scheduled_.end()) {
    const std::string label =
        shown == kFirstShownTogether ? fmt::format("{}+", shown) : fmt::format("{}", shown);
    found = until_scheduled_
                .emplace(shown,
                         registry_.HistogramOf(
                             kUntilScheduled, Doubling(0.01, 20), {{"attempts", label}}))
                .first;
  }
  found->second.Observe(seconds);
}

void SchedulerMetrics::SetSizes(const QueueSizes& queue, const CacheSizes& cache) {
  active_.Set(static_cast<double>(queue.active));
  backoff_.Set(static_cast<double>(queue.backoff));
  unschedulable_.Set(static_cast<double>(queue.unschedulable));
  gated_.Set(static_cast<double>(queue.gated));
  nodes_.Set(static_cast<double>(cache.nodes));
  pods_.Set(static_cast<double>(cache.pods));
  assumed_pods_.Set(static_cast<double>(cache.assumed_pods));
}

}  // namespace dray::scheduler::inline reports
