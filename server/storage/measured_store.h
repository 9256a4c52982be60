// SPDX-License-Identifier: Apache-2.0
// A store whose writes are counted for `/metrics`, under the names that kube-apiserver gives to
// what it asks of etcd.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/mutex.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "store/store.h"

namespace dray::server::storage {

/// Everything is the other store's. Reads come from memory and are not counted; a write costs some
/// hundred nanoseconds more.
class MeasuredStore final : public store::Store {
 public:
  /// Writes of objects of the kinds in `scheme` are named; the rest is counted together. `clock`
  /// and `registry` outlive this.
  MeasuredStore(std::unique_ptr<store::Store> store,
                const api::Scheme& scheme,
                const Clock& clock,
                metrics::Registry& registry);

  /// Looks at how large the store is; for whoever is about to read the metrics.
  void Measure() const;

  Frozen<store::Snapshot> Read() const override { return store_->Read(); }
  void Sync(std::move_only_function<void(Result<Revision>)> done) override {
    store_->Sync(std::move(done));
  }
  Result<Frozen<store::Snapshot>> ReadAt(Revision revision) const override {
    return store_->ReadAt(revision);
  }
  void Commit(store::Txn txn, store::CommitCallback done) override;
  Result<store::Batch> EventsAfter(Revision after,
                                   std::string_view prefix,
                                   size_t max) const override {
    return store_->EventsAfter(after, prefix, max);
  }
  Result<store::Subscription> Subscribe(store::Wake wake) override {
    return store_->Subscribe(std::move(wake));
  }
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override {
    store_->ExpireDue(now, max, std::move(done));
  }
  Result<> Compact(Revision revision) override { return store_->Compact(revision); }
  store::Status status() const override { return store_->status(); }

 private:
  enum class Operation : uint8_t { kCreate, kUpdate, kDelete };
  static constexpr std::array<std::string_view, 3> kWords = {"create", "update", "delete"};

  /// Of one operation on one resource.
  struct Series {
    metrics::Counter requests, errors;
    metrics::Histogram seconds;
  };
  struct Resource {
    std::string group, plural;
    std::array<std::optional<Series>, kWords.size()> operations;  // made when first carried out
  };

  static Operation OperationOf(const store::Txn& txn);
  Series SeriesOf(const store::Txn& txn);

  const std::unique_ptr<store::Store> store_;
  const Clock& clock_;
  metrics::Registry& registry_;
  metrics::Gauge bytes_;
  Mutex mutex_;
  // By what stands for the resource in keys; "" for what is none.
  std::map<std::string, Resource, std::less<>> resources_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
