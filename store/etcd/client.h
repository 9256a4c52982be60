// SPDX-License-Identifier: Apache-2.0
// Calls to an etcd cluster: connections, endpoints that take over for each other, TLS. gRPC stays
// in the .cc files.
//
// One endpoint is used until it fails; then the next that has a connection, or can get one. A call
// whose request has provably not been carried out (CallFailure) is made again at the others, each
// at most once; no other call is ever repeated. Watches have connections of their own, so that a
// big answer to a call cannot hold them up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/endpoints.h"
#include "store/etcd/messages.h"
#include "store/etcd/options.h"

namespace dray::store::etcd {

using Timeout = std::chrono::milliseconds;

class Channels;
class WatchCall;

/// One watch. Used by one thread, but for RequestProgress and Cancel, which may be called from any.
class Watch {
 public:
  explicit Watch(std::shared_ptr<WatchCall> call) : call_(std::move(call)) {}
  Watch(Watch&&) = default;
  Watch& operator=(Watch&&) = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Ends it.
  ~Watch();

  /// Waits for the next answer. After a failure there is no other.
  Answer<WatchAnswer> Next();
  /// Asks etcd to say how far it has told everything. Costs nothing while an earlier one waits to
  /// be sent.
  void RequestProgress();
  /// Makes Next fail, now or later.
  void Cancel();

 private:
  std::shared_ptr<WatchCall> call_;
};

class Client {
 public:
  /// Reads the files of `options` and prepares; connects nowhere yet.
  ///
  /// Errors: as ParseEndpoints; kNotFound, kForbidden, kBadRequest  for one of the files.
  static Result<std::unique_ptr<Client>> Make(Disk& disk, const EtcdOptions& options);

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Cancels what is under way and waits until all of it has been answered. What is asked
  /// afterwards fails at once.
  void Close();

  // Each answers once, on a thread of gRPC, which must not be held up; or at once.
  void Range(const RangeQuery& query, Timeout timeout, Receive<RangeAnswer> receive);
  void Txn(const TxnQuery& query, Timeout timeout, Receive<TxnAnswer> receive);
  void Compact(Revision revision, Timeout timeout, Receive<Revision> receive);
  void GrantLease(int64_t ttl_seconds, Timeout timeout, Receive<LeaseAnswer> receive);
  // At one endpoint and no other.
  void StatusAt(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive);
  void HashKv(size_t endpoint, Revision revision, Timeout timeout, Receive<HashAnswer> receive);
  void StatusForWatch(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive);

  // The same, waiting; never on a thread of gRPC.
  Answer<RangeAnswer> RangeAndWait(const RangeQuery& query, Timeout timeout);
  Answer<TxnAnswer> TxnAndWait(const TxnQuery& query, Timeout timeout);
  Answer<Revision> CompactAndWait(Revision revision, Timeout timeout);
  Answer<LeaseAnswer> GrantLeaseAndWait(int64_t ttl_seconds, Timeout timeout);
  Answer<StatusAnswer> StatusAtAndWait(size_t endpoint, Timeout timeout);
  Answer<StatusAnswer> StatusForWatchAndWait(size_t endpoint, Timeout timeout);
  Answer<HashAnswer> HashKvAndWait(size_t endpoint, Revision revision, Timeout timeout);

  /// Gets one part of a snapshot after the other, and how many bytes follow; false gives up.
  using SnapshotSink = std::function<bool(std::string_view part, uint64_t bytes_left)>;
  /// The whole database of one member, as a file that `etcdctl snapshot restore` takes; true once
  /// `sink` has got all of it, false if it gave up.
  Answer<bool> SaveSnapshot(size_t endpoint, const SnapshotSink& sink);

  /// Begins a watch at one endpoint; the first answer says whether it was created.
  Watch StartWatch(size_t endpoint, const WatchQuery& query);

  size_t endpoint_count() const;
  const std::string& url(size_t endpoint) const;
  /// From now on calls go there first.
  void Prefer(size_t endpoint);

 private:
  explicit Client(std::unique_ptr<Channels> channels);

  std::unique_ptr<Channels> channels_;
};

}  // namespace dray::store::etcd
