// SPDX-License-Identifier: Apache-2.0
#include "server/storage/measured_store.h"

#include <chrono>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "server/storage/keys.h"

namespace dray::server::storage {
namespace {

using metrics::Description;

constexpr Description kRequests{.name = "etcd_requests_total",
                                .help = "Writes of the store, by operation and resource."};
constexpr Description kErrors{.name = "etcd_request_errors_total",
                              .help = "Writes that the store did not carry out."};
constexpr Description kSeconds{.name = "etcd_request_duration_seconds",
                               .help = "What a write of the store took, in seconds."};
constexpr Description kBytes{.name = "apiserver_storage_size_bytes",
                             .help = "Bytes of the store: of its file, or of what is in memory."};

// Upstream's buckets.
constexpr std::array kSecondsBounds = {0.005, 0.025, 0.05, 0.1,  0.2,  0.4,  0.6, 0.8,
                                       1.0,   1.25,  1.5,  2.0,  3.0,  4.0,  5.0, 6.0,
                                       8.0,   10.0,  15.0, 20.0, 30.0, 45.0, 60.0};

/// "pods" of "/registry/pods/default/a"; empty for a key of no object.
std::string_view ResourceOf(std::string_view key) {
  if (!key.starts_with(kRegistry)) return {};
  key.remove_prefix(kRegistry.size());
  return key.substr(0, key.find('/'));
}

}  // namespace

MeasuredStore::MeasuredStore(std::unique_ptr<store::Store> store,
                             const api::Scheme& scheme,
                             const Clock& clock,
                             metrics::Registry& registry)
    : ForwardingStore(*store),
      store_(std::move(store)),
      clock_(clock),
      registry_(registry),
      bytes_(registry.GaugeOf(kBytes, {{"storage_cluster_id", "etcd-0"}})) {
  resources_.try_emplace("");
  for (const api::KindInfo* kind : scheme.kinds()) {
    if (kind->create_only) continue;
    resources_.try_emplace(std::string(ResourceOf(ResourcePrefix(*kind))),
                           Resource{.group = std::string(kind->group),
                                    .plural = std::string(kind->plural),
                                    .operations = {}});
  }
}

void MeasuredStore::Measure() const {
  const store::Status status = to().status();
  bytes_.Set(static_cast<double>(status.file_bytes > 0 ? status.file_bytes : status.live_bytes));
}

/// A transaction with several operations counts as its first one.
MeasuredStore::Operation MeasuredStore::OperationOf(const store::Txn& txn) {
  if (std::holds_alternative<store::Delete>(txn.operations.front())) return Operation::kDelete;
  const std::string& key = std::get<store::Put>(txn.operations.front()).key;
  for (const store::Compare& compare : txn.compares) {
    if (compare.key == key && compare.modified == Revision{}) return Operation::kCreate;
  }
  return Operation::kUpdate;
}

MeasuredStore::Series MeasuredStore::SeriesOf(const store::Txn& txn) {
  const std::string& key =
      std::visit([](const auto& operation) -> const std::string& { return operation.key; },
                 txn.operations.front());
  const auto operation = static_cast<size_t>(OperationOf(txn));
  const MutexLock lock(mutex_);
  auto found = resources_.find(ResourceOf(key));
  if (found == resources_.end()) found = resources_.find("");
  Resource& resource = found->second;
  std::optional<Series>& series = resource.operations[operation];
  if (!series.has_value()) {
    const metrics::Labels labels = {{"operation", std::string(kWords[operation])},
                                    {"group", resource.group},
                                    {"resource", resource.plural}};
    series = Series{.requests = registry_.CounterOf(kRequests, labels),
                    .errors = registry_.CounterOf(kErrors, labels),
                    .seconds = registry_.HistogramOf(kSeconds, kSecondsBounds, labels)};
  }
  return *series;
}

store::CommitCallback MeasuredStore::Counted(const store::Txn& txn, store::CommitCallback done) {
  if (txn.operations.empty()) return done;
  const Series series = SeriesOf(txn);
  const MonotonicTime began = clock_.Monotonic();
  return [this, series, began, done = std::move(done)](auto outcome) mutable {
    series.requests.Add();
    if (!outcome.has_value()) series.errors.Add();
    series.seconds.Observe(std::chrono::duration<double>(clock_.Monotonic() - began).count());
    done(std::move(outcome));
  };
}

void MeasuredStore::Commit(store::Txn txn, store::CommitCallback done) {
  done = Counted(txn, std::move(done));
  to().Commit(std::move(txn), std::move(done));
}

void MeasuredStore::CommitSteps(std::vector<store::Step> steps) {
  for (store::Step& step : steps) step.done = Counted(step.txn, std::move(step.done));
  to().CommitSteps(std::move(steps));
}

}  // namespace dray::server::storage
