// SPDX-License-Identifier: Apache-2.0
// A member's database as a stream.
#include <cstddef>
#include <expected>
#include <memory>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include "etcd.grpc.pb.h"
#include "etcd.pb.h"
#include "store/etcd/rpc/channels.h"
#include "store/etcd/rpc/grpc_client.h"
#include "store/etcd/rpc/messages.h"
#include "store/etcd/rpc/wire.h"

namespace dray::store::etcd::rpc {

Answer<bool> GrpcClient::SaveSnapshot(size_t endpoint, const SnapshotSink& sink) {
  grpc::ClientContext context;
  if (!channels_.Enter(context)) return std::unexpected(channels_.Closing());
  const wire::SnapshotRequest request;
  const auto reader = channels_[endpoint].maintenance->Snapshot(&context, request);
  wire::SnapshotResponse part;
  bool continues = true;
  while (continues && reader->Read(&part)) continues = sink(part.blob(), part.remaining_bytes());
  if (!continues) context.TryCancel();
  const grpc::Status status = reader->Finish();
  channels_.End(context);
  Answer<bool> answer = continues;
  if (continues && !status.ok())
    answer = std::unexpected(channels_.FailureOf(endpoint, context, status));
  channels_.Leave();
  return answer;
}

}  // namespace dray::store::etcd::rpc
