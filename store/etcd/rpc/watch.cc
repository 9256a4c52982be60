// SPDX-License-Identifier: Apache-2.0
// A watch: gRPC reads on its threads; the follower takes one answer after the other.
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include "base/mutex.h"
#include "etcd.grpc.pb.h"
#include "etcd.pb.h"
#include "store/etcd/rpc/channels.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/grpc_client.h"
#include "store/etcd/rpc/messages.h"
#include "store/etcd/rpc/wire.h"

namespace dray::store::etcd::rpc {

/// Reads only one answer ahead, so that a slow follower slows etcd down (back-pressure) instead of
/// filling this process's memory.
class WatchCall final : public Watch,
                        public grpc::ClientBidiReactor<wire::WatchRequest, wire::WatchResponse> {
 public:
  WatchCall(Channels& channels, size_t endpoint, const WatchQuery& query)
      : channels_(channels), endpoint_(endpoint), create_(ToWire(query)) {
    progress_.mutable_progress_request();
    context_.AddMetadata("hasleader", "true");
  }

  WatchCall(const WatchCall&) = delete;
  WatchCall& operator=(const WatchCall&) = delete;
  /// Cancels the call, and waits until gRPC has released it.
  ~WatchCall() override {
    context_.TryCancel();
    const MutexLock lock(mutex_);
    while (!end_.has_value()) {
      if (has_message_) ReadOn();
      changed_.Wait(mutex_);
    }
  }

  void Start() {
    const MutexLock lock(mutex_);
    if (!channels_.Enter(context_)) {
      end_ = channels_.Closing();
      return;
    }
    channels_[endpoint_].watch->async()->Watch(&context_, this);
    AddHold();  // because reads and writes begin outside gRPC's callbacks
    is_writing_ = true;
    StartWrite(&create_);
    StartRead(&message_);
    StartCall();
  }

  Answer<WatchAnswer> Next() override {
    const MutexLock lock(mutex_);
    while (!has_message_ && !end_.has_value()) changed_.Wait(mutex_);
    if (!has_message_) return std::unexpected(*end_);
    WatchAnswer answer = FromWire(message_);
    message_.Clear();
    ReadOn();
    return answer;
  }

  void RequestProgress() override {
    const MutexLock lock(mutex_);
    wants_progress_ = true;
    WriteWhatIsWanted();
  }

  void Cancel() override { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    {
      const MutexLock lock(mutex_);
      has_message_ = ok;
      is_over_ = !ok;
      changed_.NotifyAll();
    }
    if (!ok) RemoveHold();  // OnDone follows with the reason
  }

  void OnWriteDone(bool ok) override {
    const MutexLock lock(mutex_);
    is_writing_ = !ok;  // a broken stream takes no more writes
    WriteWhatIsWanted();
  }

  void OnDone(const grpc::Status& status) override {
    channels_.End(context_);
    CallFailure failure = channels_.FailureOf(endpoint_, context_, status);
    channels_.Leave();  // The owner destroys the context, on its own thread.
    const MutexLock lock(mutex_);
    end_ = std::move(failure);
    changed_.NotifyAll();
  }

 private:
  void ReadOn() DRAY_REQUIRES(mutex_) {
    has_message_ = false;
    StartRead(&message_);  // a read in progress is always followed by another one
  }

  void WriteWhatIsWanted() DRAY_REQUIRES(mutex_) {
    if (!wants_progress_ || is_writing_ || is_over_ || end_.has_value()) return;
    wants_progress_ = false;
    is_writing_ = true;
    StartWrite(&progress_);
  }

  Channels& channels_;
  const size_t endpoint_;
  const wire::WatchRequest create_;
  wire::WatchRequest progress_;
  grpc::ClientContext context_;
  Mutex mutex_;
  Condition changed_;
  wire::WatchResponse message_ DRAY_GUARDED_BY(mutex_);
  bool has_message_ DRAY_GUARDED_BY(mutex_) = false;
  bool is_over_ DRAY_GUARDED_BY(mutex_) = false;  // no read or write may begin
  bool is_writing_ DRAY_GUARDED_BY(mutex_) = false;
  bool wants_progress_ DRAY_GUARDED_BY(mutex_) = false;
  std::optional<CallFailure> end_ DRAY_GUARDED_BY(mutex_);
};

std::unique_ptr<Watch> GrpcClient::StartWatch(size_t endpoint, const WatchQuery& query) {
  auto call = std::make_unique<WatchCall>(channels_, endpoint, query);
  call->Start();
  return call;
}

}  // namespace dray::store::etcd::rpc
