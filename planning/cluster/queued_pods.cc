// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/queued_pods.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/core_v1/pod.h"
#include "api/value/time.h"
#include "planning/objects/waiting.h"

namespace dray::planning::inline cluster {
namespace {

namespace core = api::core_v1;

std::string PodName(const api::Object& pod) {
  return "pod " + api::ObjectKey(pod.metadata());
}

/// Lower ranks come first.
struct QueueRank {
  bool is_daemon = false;
  int64_t priority = 0;
  bool is_queued = false;
  /// For queued pods; pods that no server has stored come last.
  api::Time created = api::Time::FromUnixSeconds(api::kTimeMaxUnixSeconds);
  size_t place = 0;  // as given

  auto AsTuple() const { return std::tuple(!is_daemon, -priority, !is_queued, created, place); }
};

}  // namespace

std::set<std::string> QueuedPods(const OfflineObjects& objects, const std::set<std::string>& work) {
  std::set<std::string> queued;
  for (const PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (!StateOf(pod).empty() || !NoteAbout(pod).empty()) continue;
    if (std::string name = PodName(placed.object); !work.contains(name))
      queued.insert(std::move(name));
  }
  return queued;
}

void PutInQueueOrder(const std::set<std::string>& daemons,
                     const std::set<std::string>& queued,
                     std::vector<PlacedObject>& pods) {
  std::vector<std::pair<QueueRank, PlacedObject>> ranked;
  ranked.reserve(pods.size());
  for (PlacedObject& placed : pods) {
    const std::string name = PodName(placed.object);
    QueueRank rank{.is_daemon = daemons.contains(name),
                   .priority = placed.object.As<core::Pod>().spec.priority.value_or(0),
                   .is_queued = queued.contains(name),
                   .place = ranked.size()};
    const api::Time created = placed.object.metadata().creation_timestamp;
    if (rank.is_queued && !created.IsZero()) rank.created = created;
    ranked.emplace_back(rank, std::move(placed));
  }
  std::ranges::sort(ranked, {}, [](const auto& one) { return one.first.AsTuple(); });
  pods.clear();
  for (auto& [rank, placed] : ranked) pods.push_back(std::move(placed));
}

void OfflineCluster::OrderAsQueue(const std::set<std::string>& daemons,
                                  const std::set<std::string>& queued) {
  PutInQueueOrder(daemons, queued, objects_.pods);
  pod_places_.clear();
  pods_known_ = 0;
}

QueuedReport CompareQueued(std::span<const OfflineAnswer> before, std::vector<OfflineAnswer> then) {
  std::map<std::string_view, const OfflineAnswer*> known;
  for (const OfflineAnswer& answer : before) known.emplace(answer.what, &answer);
  QueuedReport report;
  for (OfflineAnswer& answer : then) {
    const auto found = known.find(answer.what);
    if (found == known.end()) continue;
    const Verdict verdict_before = found->second->verdict;
    const bool fitted = verdict_before == Verdict::kFits;
    const bool fits = answer.verdict == Verdict::kFits;
    const bool is_undecided =
        verdict_before == Verdict::kUndecided || answer.verdict == Verdict::kUndecided;
    ++report.pods;
    report.fit_before += fitted ? 1 : 0;
    report.fit_then += fits ? 1 : 0;
    if (is_undecided) {
      ++report.undecided;
      continue;
    }
    if (fits == fitted) {
      ++(fits ? report.fit_both : report.wait_both);
      continue;
    }
    std::string node_before = found->second->node;
    report.changes.push_back({.then = std::move(answer), .node_before = std::move(node_before)});
  }
  return report;
}

}  // namespace dray::planning::inline cluster
