// SPDX-License-Identifier: Apache-2.0
// Calls to an etcd cluster: connections, failover between endpoints, TLS. gRPC stays in the .cc
// files.
//
// One endpoint is used until it fails; then the next one that is connected or can connect. A call
// that was certainly not carried out (CallFailure) is tried at each other endpoint once; no other
// call is ever repeated. Watches have connections of their own, so that a large answer to a call
// cannot delay them.
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
#include "store/etcd/options.h"
#include "store/etcd/rpc/endpoints.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {

using Timeout = std::chrono::milliseconds;

class Channels;
class WatchCall;

/// One watch. For one thread, except RequestProgress and Cancel, which are safe from any.
class Watch {
 public:
  explicit Watch(std::shared_ptr<WatchCall> call) : call_(std::move(call)) {}
  Watch(Watch&&) = default;
  Watch& operator=(Watch&&) = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Ends it.
  ~Watch();

  /// Waits for the next answer. After a failure there are no more.
  Answer<WatchAnswer> Next();
  /// Asks etcd for a progress answer: up to which revision the watch is complete. Costs nothing
  /// while an earlier request waits to be sent.
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

  /// Cancels all calls and waits until each has been answered. Later calls fail at once.
  void Close();

  // Each calls back once: on a thread of gRPC, which must not be blocked, or before it returns.
  void Range(const RangeQuery& query, Timeout timeout, Receive<RangeAnswer> receive);
  void Txn(const TxnQuery& query, Timeout timeout, Receive<TxnAnswer> receive);
  void Compact(Revision revision, Timeout timeout, Receive<Revision> receive);
  void GrantLease(int64_t ttl_seconds, Timeout timeout, Receive<LeaseAnswer> receive);
  // At one endpoint and no other.
  void StatusAt(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive);
  void HashKv(size_t endpoint, Revision revision, Timeout timeout, Receive<HashAnswer> receive);
  void StatusForWatch(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive);

  // The same, blocking; never on a thread of gRPC.
  Answer<RangeAnswer> RangeAndWait(const RangeQuery& query, Timeout timeout);
  Answer<TxnAnswer> TxnAndWait(const TxnQuery& query, Timeout timeout);
  Answer<Revision> CompactAndWait(Revision revision, Timeout timeout);
  Answer<LeaseAnswer> GrantLeaseAndWait(int64_t ttl_seconds, Timeout timeout);
  Answer<StatusAnswer> StatusAtAndWait(size_t endpoint, Timeout timeout);
  Answer<StatusAnswer> StatusForWatchAndWait(size_t endpoint, Timeout timeout);
  Answer<HashAnswer> HashKvAndWait(size_t endpoint, Revision revision, Timeout timeout);

  /// Receives the parts of a snapshot in order, each with the number of bytes after it; false
  /// stops.
  using SnapshotSink = std::function<bool(std::string_view part, uint64_t bytes_left)>;
  /// The whole database of one member, as a file that `etcdctl snapshot restore` takes; true once
  /// `sink` has received all of it, false if it stopped.
  Answer<bool> SaveSnapshot(size_t endpoint, const SnapshotSink& sink);

  /// Begins a watch at one endpoint; the first answer says whether it was created.
  Watch StartWatch(size_t endpoint, const WatchQuery& query);

  size_t endpoint_count() const;
  const std::string& url(size_t endpoint) const;
  /// Later calls go there first.
  void Prefer(size_t endpoint);

 private:
  explicit Client(std::unique_ptr<Channels> channels);

  std::unique_ptr<Channels> channels_;
};

}  // namespace dray::store::etcd::rpc
