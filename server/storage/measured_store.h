// SPDX-License-Identifier: Apache-2.0
// A store whose writes are counted for `/metrics`, under the names of kube-apiserver's metrics of
// its requests to etcd.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/mutex.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "store/forwarding_store.h"

namespace dray::server::storage {

/// Forwards every call to another store. Reads come from memory and are not counted; a write costs
/// some hundred nanoseconds more.
class MeasuredStore final : public store::ForwardingStore {
 public:
  /// Counts writes of the kinds in `scheme` per kind and all others together. `clock` and
  /// `registry` outlive this.
  MeasuredStore(std::unique_ptr<store::Store> store,
                const api::Scheme& scheme,
                const Clock& clock,
                metrics::Registry& registry);

  /// Updates the gauge of the store's size. The caller does so before it reads the metrics.
  void Measure() const;

  void Commit(store::Txn txn, store::CommitCallback done) override;
  void CommitSteps(std::vector<store::Step> steps) override;

 private:
  enum class Operation : uint8_t { kCreate, kUpdate, kDelete };
  static constexpr std::array<std::string_view, 3> kWords = {"create", "update", "delete"};

  /// The metrics of one operation on one resource.
  struct Series {
    metrics::Counter requests, errors;
    metrics::Histogram seconds;
  };
  struct Resource {
    std::string group, plural;
    std::array<std::optional<Series>, kWords.size()> operations;  // created at first use
  };

  static Operation OperationOf(const store::Txn& txn);
  Series SeriesOf(const store::Txn& txn);
  /// A callback that counts the result of `txn` and then calls `done`.
  store::CommitCallback Counted(const store::Txn& txn, store::CommitCallback done);

  const std::unique_ptr<store::Store> store_;
  const Clock& clock_;
  metrics::Registry& registry_;
  metrics::Gauge bytes_;
  Mutex mutex_;
  // By the resource's folder in keys; "" for keys of no object.
  std::map<std::string, Resource, std::less<>> resources_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
