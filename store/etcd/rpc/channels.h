// SPDX-License-Identifier: Apache-2.0
// The connections to each member of a cluster. Heavy: for the .cc files that call etcd.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "base/mutex.h"
#include "etcd.grpc.pb.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/connection.h"
#include "store/etcd/rpc/endpoints.h"

namespace dray::store::etcd::rpc {

struct Member {
  Endpoint endpoint;
  std::string target;  // gRPC's name for the peer of a request that no connection has taken
  std::shared_ptr<grpc::Channel> calls;
  std::shared_ptr<grpc::Channel> watches;
  std::unique_ptr<etcdserverpb::KV::Stub> kv;
  std::unique_ptr<etcdserverpb::Lease::Stub> lease;
  std::unique_ptr<etcdserverpb::Maintenance::Stub> maintenance;
  std::unique_ptr<etcdserverpb::Maintenance::Stub> watch_maintenance;
  std::unique_ptr<etcdserverpb::Watch::Stub> watch;
};

class Channels {
 public:
  Channels(const EtcdOptions& options, const Endpoints& endpoints, const TlsTexts& texts);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;
  /// Calls Close.
  ~Channels();

  /// Cancels all calls, waits until they have ended, and refuses new ones. May be called again.
  void Close();

  size_t size() const { return members_.size(); }
  const Member& operator[](size_t index) const { return members_[index]; }

  /// Returns the endpoint to call now: the one in use, unless its connection is known to be broken.
  /// Starts to connect where there is no connection.
  size_t Choose();
  /// Call after a call to `index` failed and another endpoint may succeed. Switches to the next
  /// one.
  void MoveOn(size_t index);
  /// Uses endpoint `index` from now on.
  void Prefer(size_t index) { current_ = index; }

  /// Call before a call is given to gRPC. Returns false if no more calls may be made.
  bool Enter(grpc::ClientContext& context);
  /// Call when the call has ended. It can no longer be cancelled, and its context may be destroyed.
  void End(grpc::ClientContext& context);
  /// Call after End, once the caller holds no object of gRPC. The last owner of a channel must not
  /// be on a thread of gRPC, because destroying the channel waits for those threads.
  void Leave();

  /// Explains why a call to `index` failed.
  CallFailure FailureOf(size_t index,
                        const grpc::ClientContext& context,
                        const grpc::Status& status) const;
  CallFailure Closing() const;

 private:
  const bool tls_;
  const bool has_certificate_;
  std::vector<Member> members_;
  std::atomic<size_t> current_ = 0;
  Mutex mutex_;
  Condition idle_;
  std::unordered_set<grpc::ClientContext*> in_flight_ DRAY_GUARDED_BY(mutex_);
  size_t entered_ DRAY_GUARDED_BY(mutex_) = 0;
  bool closing_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::store::etcd::rpc
