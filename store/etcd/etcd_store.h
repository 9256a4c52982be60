// SPDX-License-Identifier: Apache-2.0
// The store in an etcd cluster, which several servers share. etcd decides on writes; each server
// reads from a mirror of its own.
//
// Opening reads all keys below the prefix at one revision; then a watch brings every change, in
// order, which makes the same snapshots and history as in the other stores. So reads, older
// revisions and watches never leave this process. A transaction is an etcd transaction. It is
// answered once the watch has delivered its revision, so that it is visible here as those of other
// servers are. Sync asks etcd for its revision and waits until the mirror has reached it, so the
// mirror then includes everything that any server has acknowledged (docs/design/store-etcd.md).
//
// When the connection breaks, the watch resumes after the last revision it brought, at another
// endpoint if necessary, so nothing is lost or repeated. If etcd has compacted the missed
// revisions, the store reads all keys again and all older revisions are Expired, because it cannot
// reconstruct their history.
//
// What differs from other stores:
//   - Records expire by themselves, some time after their expiry (at most a twentieth of their life
//     or a minute, and what etcd takes to notice); ExpireDue has nothing to do. Record::expiry is
//     not kept.
//   - The window of history begins at the start of this process. Older revisions are Expired even
//     if etcd still has them. Compaction by other servers does not shorten the window.
//   - Revisions may have gaps, because keys outside the prefix use some. Subscribers are woken for
//     those, too.
//   - etcd refuses requests of more than 1.5 MiB altogether (--max-request-bytes), so the largest
//     value is a little less than kValueBytesMax.
//   - Options::live_bytes_max is checked against what this server has seen.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/frozen.h"
#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/options.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store::etcd {

class Engine;

class EtcdStore final : public Store {
 public:
  /// Connects, reads all keys below the prefix and begins to follow them. Fails after at most
  /// EtcdOptions::dial_timeout if no endpoint answers. `world` outlives the store; certificates are
  /// read from its disk.
  ///
  /// Errors: kBadRequest          the options (see etcd::ParseEndpoints), or a file is not PEM.
  ///         kNotFound, kForbidden  a file of the options cannot be read.
  ///         kServiceUnavailable  no endpoint answers. The message has the reason for each of them:
  ///                              the connection is refused, a certificate is not trusted or is
  ///                              missing, or the server is not an etcd.
  static Result<std::unique_ptr<EtcdStore>> Open(World& world,
                                                 Log log,
                                                 const EtcdOptions& etcd_options,
                                                 const Options& options = {});

  EtcdStore(const EtcdStore&) = delete;
  EtcdStore& operator=(const EtcdStore&) = delete;
  /// Ends all calls in flight. Commits whose outcome is not known yet are answered with kTimeout.
  ~EtcdStore() override;

  Frozen<Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override;
  /// Calls back on a thread of the store, or on the calling thread if the transaction is refused at
  /// once. kTimeout may be reported long before etcd carries out the transaction, if it does.
  ///
  /// Errors: those of Store; kBadRequest also for a key outside the prefix; kTimeout also when the
  ///         database of etcd is full (etcd may report that for a transaction that it has carried
  ///         out); kForbidden when etcd's access control refuses.
  void Commit(Txn txn, CommitCallback done) override;
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const override;
  Result<Subscription> Subscribe(Wake wake) override;
  /// Answers 0 at once, because etcd expires records by itself.
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;
  /// Waits for etcd, which drops the history for all servers, also the history below this store's
  /// floor.
  ///
  /// Errors: those of Store, and kServiceUnavailable.
  Result<> Compact(Revision revision) override;
  /// `failure` is permanent when etcd turns out to be another cluster, or went back to an older
  /// state. It is temporary while etcd's database is full or etcd cannot be reached.
  Status status() const override;

 private:
  explicit EtcdStore(std::unique_ptr<Engine> engine);

  std::unique_ptr<Engine> engine_;
};

}  // namespace dray::store::etcd
