// SPDX-License-Identifier: Apache-2.0
// Calls to an etcd cluster: connections, failover between endpoints, TLS. grpc_client.h makes them.
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

/// One watch. For one thread, except RequestProgress and Cancel, which are safe from any thread.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Ends the watch.
  virtual ~Watch() = default;

  /// Waits for the next answer. After a failure there are no more.
  virtual Answer<WatchAnswer> Next() = 0;
  /// Asks etcd for a progress answer, which reports the revision up to which the watch is complete.
  /// Costs nothing while an earlier request waits to be sent.
  virtual void RequestProgress() = 0;
  /// Makes Next fail, now or later.
  virtual void Cancel() = 0;
};

class Client {
 public:
  /// Reads the files of `options` and prepares the client. Connects to no endpoint yet.
  ///
  /// Errors: as ParseEndpoints; kNotFound, kForbidden, kBadRequest  for one of the files; kNotFound
  ///         also where gRPC is in a module (connection.h) that is missing.
  static Result<std::unique_ptr<Client>> Make(Disk& disk, const EtcdOptions& options);

  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  /// Cancels all calls and waits until each has been answered. Later calls fail at once.
  virtual void Close() = 0;

  // Each function calls back once: on a thread of gRPC, which must not be blocked, or before the
  // function returns.
  virtual void Range(const RangeQuery& query, Timeout timeout, Receive<RangeAnswer> receive) = 0;
  virtual void Txn(const TxnQuery& query, Timeout timeout, Receive<TxnAnswer> receive) = 0;
  virtual void Compact(Revision revision, Timeout timeout, Receive<Revision> receive) = 0;
  virtual void GrantLease(int64_t ttl_seconds, Timeout timeout, Receive<LeaseAnswer> receive) = 0;
  // Asks this endpoint only.
  virtual void StatusAt(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) = 0;
  virtual void HashKv(size_t endpoint,
                      Revision revision,
                      Timeout timeout,
                      Receive<HashAnswer> receive) = 0;
  virtual void StatusForWatch(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) = 0;

  // The same calls, blocking. Never call them on a thread of gRPC.
  Answer<RangeAnswer> RangeAndWait(const RangeQuery& query, Timeout timeout);
  Answer<TxnAnswer> TxnAndWait(const TxnQuery& query, Timeout timeout);
  Answer<Revision> CompactAndWait(Revision revision, Timeout timeout);
  Answer<LeaseAnswer> GrantLeaseAndWait(int64_t ttl_seconds, Timeout timeout);
  Answer<StatusAnswer> StatusAtAndWait(size_t endpoint, Timeout timeout);
  Answer<StatusAnswer> StatusForWatchAndWait(size_t endpoint, Timeout timeout);
  Answer<HashAnswer> HashKvAndWait(size_t endpoint, Revision revision, Timeout timeout);

  /// Receives the parts of a snapshot in order, each with the number of bytes that follow it.
  /// Returns false to stop.
  using SnapshotSink = std::function<bool(std::string_view part, uint64_t bytes_left)>;
  /// Reads the whole database of one member, as a file that `etcdctl snapshot restore` takes.
  /// Returns true once `sink` has received all of it, false if `sink` stopped.
  virtual Answer<bool> SaveSnapshot(size_t endpoint, const SnapshotSink& sink) = 0;

  /// Begins a watch at one endpoint. The first answer shows whether it was created.
  virtual std::unique_ptr<Watch> StartWatch(size_t endpoint, const WatchQuery& query) = 0;

  virtual size_t endpoint_count() const = 0;
  virtual const std::string& url(size_t endpoint) const = 0;
  /// Uses `endpoint` first for later calls.
  virtual void Prefer(size_t endpoint) = 0;
};

}  // namespace dray::store::etcd::rpc
