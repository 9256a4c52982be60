// SPDX-License-Identifier: Apache-2.0
// The store in an etcd cluster, which several servers share: etcd decides, each server has a
// mirror.
//
// Opening reads all keys below the prefix at one revision; then a watch brings every change, in
// order, which makes the same snapshots and history as in the other stores. So reads, older
// revisions and watches never leave this process. A transaction is one of etcd; it is answered once
// the watch has brought its revision, so that it is visible here like everybody else's. Sync asks
// etcd for its revision and waits until the mirror has it: then nothing that any server has
// acknowledged is missing (docs/design/store-etcd.md).
//
// When the connection breaks, the watch resumes after the last revision it brought, at another
// endpoint if need be: nothing is lost or repeated. If etcd has compacted what was missed, all keys
// are read again and all older revisions are Expired: no history is invented.
//
// What differs from other stores:
//   - Records expire by themselves, some time after their expiry (at most a twentieth of their life
//     or a minute, and what etcd takes to notice); ExpireDue has nothing to do. Record::expiry is
//     not kept.
//   - The window of history begins when this process began: older revisions are Expired even if
//     etcd still has them. Compaction by others does not shorten it.
//   - Revisions may have gaps: keys outside the prefix take some. Subscribers are woken for those,
//     too.
//   - etcd refuses requests of more than 1.5 MiB altogether (--max-request-bytes), so the largest
//     value is a little less than kValueBytesMax.
//   - Options::live_bytes_max is checked against what this server has seen.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/log.h"
#include "base/published.h"
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
  /// Errors: kBadRequest          the options (see etcd::ParseEndpoints), or a file that is no PEM.
  ///         kNotFound, kForbidden  a file of the options cannot be read.
  ///         kServiceUnavailable  nobody answers at any endpoint; the message has what each said:
  ///                              nobody listens, a certificate is not trusted or not shown, it is
  ///                              not an etcd.
  static Result<std::unique_ptr<EtcdStore>> Open(World& world,
                                                 Log log,
                                                 const EtcdOptions& etcd_options,
                                                 const Options& options = {});

  EtcdStore(const EtcdStore&) = delete;
  EtcdStore& operator=(const EtcdStore&) = delete;
  /// Ends all that is in flight: commits whose outcome is not known yet are told so.
  ~EtcdStore() override;

  Frozen<Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override;
  /// Calls back on a thread of the store, or on the calling one if it is refused at once. A
  /// kTimeout may come long before the transaction is carried out, if it is.
  ///
  /// Errors: those of Store; kBadRequest also for a key outside the prefix; kTimeout also when the
  ///         database of etcd is full (it may say so of a transaction that it has carried out);
  ///         kForbidden  its access control refuses.
  void Commit(Txn txn, CommitCallback done) override;
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const override;
  Result<Subscription> Subscribe(Wake wake) override;
  /// etcd expires by itself: 0, at once.
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;
  /// Waits for etcd, which forgets the history for everybody, also what precedes the floor here.
  ///
  /// Errors: those of Store, and kServiceUnavailable.
  Result<> Compact(Revision revision) override;
  /// `failure` is set for good when etcd turns out to be another cluster, or went back to an older
  /// state; and for the time being while its database is full, or it cannot be reached.
  Status status() const override;

 private:
  explicit EtcdStore(std::unique_ptr<Engine> engine);

  std::unique_ptr<Engine> engine_;
};

}  // namespace dray::store::etcd
