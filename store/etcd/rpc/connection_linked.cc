// SPDX-License-Identifier: Apache-2.0
// For programs that link gRPC.
#include "store/etcd/rpc/connection.h"

namespace dray::store::etcd::rpc {

Result<MakeClient*> FindGrpc() {
  return MakeGrpcClient;
}

}  // namespace dray::store::etcd::rpc
