// SPDX-License-Identifier: Apache-2.0
// The parts of a store in etcd, and how they are put together.
//
//   Client      calls to the cluster                 Arrivals   who waits for a revision
//   Follower    watch -> Mirror -> History (thread)  Answers    calls users back (thread)
//   Committer   transactions                         Compaction whose turn it is
//   Syncer      linearisable reads                   Upkeep     deadlines and turns (thread)
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "store/etcd/answers.h"
#include "store/etcd/arrivals.h"
#include "store/etcd/client.h"
#include "store/etcd/committer.h"
#include "store/etcd/compaction.h"
#include "store/etcd/follower.h"
#include "store/etcd/options.h"
#include "store/etcd/syncer.h"
#include "store/history.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store::etcd {

class Engine {
 public:
  /// As EtcdStore::Open.
  static Result<std::unique_ptr<Engine>> Open(World& world,
                                              Log log,
                                              const EtcdOptions& etcd_options,
                                              const Options& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // As the functions of Store.
  void Sync(SyncCallback done);
  void Commit(Txn txn, CommitCallback done);
  Result<> Compact(Revision revision);
  store::Status status() const;
  const History& history() const { return running_->history; }
  Subscriptions& subscriptions() { return subscriptions_; }

 private:
  /// Between looks at deadlines; also the pace of progress requests.
  static constexpr std::chrono::milliseconds kTick{100};

  struct Relay;
  /// What there is once everything has been read for the first time.
  struct Running {
    Running(Engine& engine, const Frozen<Snapshot>& first);

    History history;
    Arrivals arrivals;
    Answers answers;
    Committer committer;
    Syncer syncer;
    Compaction compaction;  // used by one call at a time: see compacting_
  };

  Engine(World& world,
         Log log,
         const EtcdOptions& etcd_options,
         const Options& options,
         std::unique_ptr<Client> client);

  Result<> Begin();
  Result<> CheckUsable() const;
  Result<> Check(const Txn& txn) const;
  Result<> CheckRoom(const Txn& txn) const;
  void Maintain();
  void TryToCompact();

  World& world_;
  const Log log_;
  const EtcdOptions etcd_options_;
  const Options options_;
  const std::string prefix_;  // of keys, with its slash
  std::string id_;
  const std::unique_ptr<Relay> relay_;
  const std::unique_ptr<Client> client_;
  Follower follower_;
  Subscriptions subscriptions_;
  std::unique_ptr<Running> running_;  // from Begin on
  std::atomic<bool> compacting_ = false;
  std::atomic<bool> closing_ = false;
  Wakeup wakeup_;
  std::jthread upkeep_;
};

}  // namespace dray::store::etcd
