// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/etcd_store.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/frozen.h"
#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/etcd/engine.h"
#include "store/etcd/options.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store::etcd {

Result<std::unique_ptr<EtcdStore>> EtcdStore::Open(World& world,
                                                   Log log,
                                                   const EtcdOptions& etcd_options,
                                                   const Options& options) {
  DRAY_TRY(std::unique_ptr<Engine> engine,
           Engine::Open(world, std::move(log), etcd_options, options));
  return std::unique_ptr<EtcdStore>(new EtcdStore(std::move(engine)));
}

EtcdStore::EtcdStore(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

EtcdStore::~EtcdStore() = default;

Frozen<Snapshot> EtcdStore::Read() const {
  return engine_->history().newest();
}

void EtcdStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  engine_->Sync(std::move(done));
}

Result<Frozen<Snapshot>> EtcdStore::ReadAt(Revision revision) const {
  return engine_->history().ReadAt(revision);
}

void EtcdStore::Commit(Txn txn, CommitCallback done) {
  engine_->Commit(std::move(txn), std::move(done));
}

Result<Batch> EtcdStore::EventsAfter(Revision after, std::string_view prefix, size_t max) const {
  return engine_->history().EventsAfter(after, prefix, max);
}

Result<Subscription> EtcdStore::Subscribe(Wake wake) {
  return engine_->subscriptions().Add(std::move(wake));
}

void EtcdStore::ExpireDue(WallTime /*now*/,
                          size_t /*max*/,
                          std::move_only_function<void(Result<size_t>)> done) {
  done(0);
}

Result<> EtcdStore::Compact(Revision revision) {
  return engine_->Compact(revision);
}

Status EtcdStore::status() const {
  return engine_->status();
}

}  // namespace dray::store::etcd
