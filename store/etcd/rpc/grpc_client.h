// SPDX-License-Identifier: Apache-2.0
// The client over gRPC. Heavy: for the .cc files that call etcd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/strong.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/channels.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/connection.h"
#include "store/etcd/rpc/endpoints.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {

class GrpcClient final : public Client {
 public:
  GrpcClient(const EtcdOptions& options, const Endpoints& endpoints, const TlsTexts& texts);

  void Close() override;
  void Range(const RangeQuery& query, Timeout timeout, Receive<RangeAnswer> receive) override;
  void Txn(const TxnQuery& query, Timeout timeout, Receive<TxnAnswer> receive) override;
  void Compact(Revision revision, Timeout timeout, Receive<Revision> receive) override;
  void GrantLease(int64_t ttl_seconds, Timeout timeout, Receive<LeaseAnswer> receive) override;
  void StatusAt(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) override;
  void HashKv(size_t endpoint,
              Revision revision,
              Timeout timeout,
              Receive<HashAnswer> receive) override;
  void StatusForWatch(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) override;
  Answer<bool> SaveSnapshot(size_t endpoint, const SnapshotSink& sink) override;
  std::unique_ptr<Watch> StartWatch(size_t endpoint, const WatchQuery& query) override;
  size_t endpoint_count() const override;
  const std::string& url(size_t endpoint) const override;
  void Prefer(size_t endpoint) override;

 private:
  Channels channels_;
};

}  // namespace dray::store::etcd::rpc
