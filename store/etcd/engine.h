// SPDX-License-Identifier: Apache-2.0
// The parts of a store in etcd, and how they are put together.
//
//   Client     calls to the cluster                 RevisionWaiters  wait for a revision
//   Follower   watch -> Mirror -> History (thread)  CallbackThread   runs users' callbacks (thread)
//   Committer  transactions                         Compaction       which server compacts
//   Syncer     linearizable reads                   Maintain         deadlines, compaction (thread)
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/frozen.h"
#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "store/etcd/compaction.h"
#include "store/etcd/mirror/follower.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/options.h"
#include "store/etcd/requests/callback_thread.h"
#include "store/etcd/requests/committer.h"
#include "store/etcd/requests/syncer.h"
#include "store/etcd/rpc/client.h"
#include "store/history.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store::etcd {

class Engine {
 public:
  /// See EtcdStore::Open.
  static Result<std::unique_ptr<Engine>> Open(World& world,
                                              Log log,
                                              const EtcdOptions& etcd_options,
                                              const Options& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // These implement the functions of Store.
  void Sync(requests::SyncCallback done);
  void Commit(Txn txn, CommitCallback done);
  Result<> Compact(Revision revision);
  store::Status status() const;
  const History& history() const { return running_->history; }
  Subscriptions& subscriptions() { return subscriptions_; }

 private:
  /// How often deadlines are checked and progress is requested.
  static constexpr std::chrono::milliseconds kTick{100};

  struct Relay;
  /// State that exists once all keys have been read for the first time.
  struct Running {
    Running(Engine& engine, const Frozen<Snapshot>& first);

    History history;
    mirror::RevisionWaiters waiters;
    requests::CallbackThread callbacks;
    requests::Committer committer;
    requests::Syncer syncer;
    Compaction compaction;  // used by one call at a time: see compacting_
  };

  Engine(World& world,
         Log log,
         const EtcdOptions& etcd_options,
         const Options& options,
         std::unique_ptr<rpc::Client> client);

  Result<> Begin();
  Result<> CheckUsable() const;
  Result<> Check(const Txn& txn) const;
  Result<> CheckRoom(const Txn& txn) const;
  void Maintain();
  void MaintainOnce();
  void TryToCompact();

  World& world_;
  const Log log_;
  const EtcdOptions etcd_options_;
  const Options options_;
  const std::string prefix_;  // of keys, with its slash
  std::string id_;
  const std::unique_ptr<Relay> relay_;
  const std::unique_ptr<rpc::Client> client_;
  mirror::Follower follower_;
  Subscriptions subscriptions_;
  std::unique_ptr<Running> running_;  // from Begin on
  std::atomic<bool> compacting_ = false;
  std::atomic<bool> closing_ = false;
  Wakeup wakeup_;
  std::jthread upkeep_;
};

}  // namespace dray::store::etcd
