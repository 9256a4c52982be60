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
#include "store/etcd/call_failure.h"
#include "store/etcd/endpoints.h"
#include "store/etcd/options.h"

namespace dray::store::etcd {

/// PEM texts; empty: the system's authorities, no certificate.
struct TlsTexts {
  std::string ca, certificate, key;
};

struct Member {
  Endpoint endpoint;
  std::string target;  // what gRPC calls a request that no connection has taken
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
  /// As Close.
  ~Channels();

  /// Cancels all calls, waits for their ends, and lets none begin any more. Again is harmless.
  void Close();

  size_t size() const { return members_.size(); }
  const Member& operator[](size_t index) const { return members_[index]; }

  /// Where to call now: the endpoint in use, unless it is known to be broken. Wakes connections.
  size_t Choose();
  /// After a call to `index` failed so that another endpoint may be better.
  void MoveOn(size_t index);
  /// From now on `index` is in use.
  void Prefer(size_t index) { current_ = index; }

  /// A call that is given to gRPC. False: no calls are made any more.
  bool Enter(grpc::ClientContext& context);
  /// It has ended: it can no longer be cancelled, and its context may go.
  void End(grpc::ClientContext& context);
  /// Afterwards. Whoever called Enter holds nothing of gRPC any more: a channel must not have its
  /// last owner on one of gRPC's threads, which it would wait for.
  void Leave();

  /// What the end of a call to `index` means.
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
  std::unordered_set<grpc::ClientContext*> under_way_ DRAY_GUARDED_BY(mutex_);
  size_t entered_ DRAY_GUARDED_BY(mutex_) = 0;
  bool closing_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::store::etcd
