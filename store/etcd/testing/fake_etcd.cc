// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/testing/fake_etcd.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include "base/mutex.h"
#include "etcd.grpc.pb.h"
#include "etcd.pb.h"

namespace dray::store::etcd::testing {
namespace {

namespace wire = etcdserverpb;
constexpr uint64_t kClusterId = 0xfa4e;

using Stream = grpc::ServerReaderWriter<wire::WatchResponse, wire::WatchRequest>;

/// State shared by the services.
struct Shared {
  std::string version;
  Mutex mutex;
  Condition changed;
  int64_t revision DRAY_GUARDED_BY(mutex) = 1;
  grpc::Status refusal DRAY_GUARDED_BY(mutex);
  std::vector<FakeWatch> asked DRAY_GUARDED_BY(mutex);
  std::set<Stream*> streams DRAY_GUARDED_BY(mutex);
  size_t progress_requests DRAY_GUARDED_BY(mutex) = 0;

  void FillHeader(wire::ResponseHeader& header) DRAY_REQUIRES(mutex) {
    header.set_cluster_id(kClusterId);
    header.set_revision(revision);
  }
};

class Kv final : public wire::KV::Service {
 public:
  explicit Kv(Shared& shared) : shared_(shared) {}

  grpc::Status Range(grpc::ServerContext* /*context*/,
                     const wire::RangeRequest* /*request*/,
                     wire::RangeResponse* response) override {
    const MutexLock lock(shared_.mutex);
    shared_.FillHeader(*response->mutable_header());
    return grpc::Status::OK;
  }
  grpc::Status Txn(grpc::ServerContext* /*context*/,
                   const wire::TxnRequest* /*request*/,
                   wire::TxnResponse* /*response*/) override {
    const MutexLock lock(shared_.mutex);
    return shared_.refusal;
  }

 private:
  Shared& shared_;
};

class Lease final : public wire::Lease::Service {
 public:
  explicit Lease(Shared& shared) : shared_(shared) {}

  grpc::Status LeaseGrant(grpc::ServerContext* /*context*/,
                          const wire::LeaseGrantRequest* /*request*/,
                          wire::LeaseGrantResponse* /*response*/) override {
    const MutexLock lock(shared_.mutex);
    return shared_.refusal;
  }

 private:
  Shared& shared_;
};

class Maintenance final : public wire::Maintenance::Service {
 public:
  explicit Maintenance(Shared& shared) : shared_(shared) {}

  grpc::Status Status(grpc::ServerContext* /*context*/,
                      const wire::StatusRequest* /*request*/,
                      wire::StatusResponse* response) override {
    const MutexLock lock(shared_.mutex);
    shared_.FillHeader(*response->mutable_header());
    response->set_version(shared_.version);
    response->set_leader(1);
    return grpc::Status::OK;
  }

 private:
  Shared& shared_;
};

class Watches final : public wire::Watch::Service {
 public:
  explicit Watches(Shared& shared) : shared_(shared) {}

  grpc::Status Watch(grpc::ServerContext* context, Stream* stream) override {
    wire::WatchRequest request;
    while (stream->Read(&request)) {
      const MutexLock lock(shared_.mutex);
      wire::WatchResponse response;
      shared_.FillHeader(*response.mutable_header());
      if (request.has_create_request()) {
        NoteCreation(request.create_request(), context->client_metadata().contains("hasleader"));
        shared_.streams.insert(stream);
        response.set_created(true);
      } else {
        ++shared_.progress_requests;
        response.set_watch_id(-1);
      }
      stream->Write(response);
      shared_.changed.NotifyAll();
    }
    const MutexLock lock(shared_.mutex);
    shared_.streams.erase(stream);
    return grpc::Status::OK;
  }

 private:
  void NoteCreation(const wire::WatchCreateRequest& create, bool has_leader_asked)
      DRAY_REQUIRES(shared_.mutex) {
    shared_.asked.push_back({.key = create.key(),
                             .range_end = create.range_end(),
                             .start_revision = create.start_revision(),
                             .progress_notify = create.progress_notify(),
                             .prev_kv = create.prev_kv(),
                             .fragment = create.fragment(),
                             .has_leader_asked = has_leader_asked});
  }

  Shared& shared_;
};

}  // namespace

struct FakeEtcd::State {
  Shared shared;
  Kv kv{shared};
  Lease lease{shared};
  Maintenance maintenance{shared};
  Watches watches{shared};
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

FakeEtcd::FakeEtcd(std::string version, Services services) : state_(std::make_unique<State>()) {
  state_->shared.version = std::move(version);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &state_->port);
  if (services == Services::kAll) {
    builder.RegisterService(&state_->kv);
    builder.RegisterService(&state_->lease);
    builder.RegisterService(&state_->maintenance);
    builder.RegisterService(&state_->watches);
  } else {
    builder.RegisterService(&state_->lease);  // a server has at least one
  }
  state_->server = builder.BuildAndStart();
}

FakeEtcd::~FakeEtcd() {
  state_->server->Shutdown();
}

std::string FakeEtcd::endpoint() const {
  return fmt::format("http://127.0.0.1:{}", state_->port);
}

void FakeEtcd::SetRevision(int64_t revision) {
  const MutexLock lock(state_->shared.mutex);
  state_->shared.revision = revision;
}

void FakeEtcd::Refuse(int code, const std::string& message) {
  const MutexLock lock(state_->shared.mutex);
  state_->shared.refusal = {static_cast<grpc::StatusCode>(code), message};
}

FakeWatch FakeEtcd::AwaitWatch(size_t number) {
  Shared& shared = state_->shared;
  const MutexLock lock(shared.mutex);
  while (shared.asked.size() < number) shared.changed.Wait(shared.mutex);
  return shared.asked[number - 1];
}

void FakeEtcd::AwaitProgressRequests(size_t count) {
  Shared& shared = state_->shared;
  const MutexLock lock(shared.mutex);
  while (shared.progress_requests < count) shared.changed.Wait(shared.mutex);
}

size_t FakeEtcd::progress_requests() const {
  const MutexLock lock(state_->shared.mutex);
  return state_->shared.progress_requests;
}

void FakeEtcd::Send(const std::vector<FakeEvent>& events, bool fragment) {
  Shared& shared = state_->shared;
  const MutexLock lock(shared.mutex);
  wire::WatchResponse response;
  shared.FillHeader(*response.mutable_header());
  response.set_fragment(fragment);
  for (const FakeEvent& event : events) {
    wire::KeyValue& kv = *response.add_events()->mutable_kv();
    kv.set_key(event.key);
    kv.set_value(event.value);
    kv.set_create_revision(event.revision);
    kv.set_mod_revision(event.revision);
    kv.set_version(1);
  }
  for (Stream* stream : shared.streams) stream->Write(response);
}

void FakeEtcd::CancelWatches(int64_t compacted, std::string reason) {
  Shared& shared = state_->shared;
  const MutexLock lock(shared.mutex);
  wire::WatchResponse response;
  shared.FillHeader(*response.mutable_header());
  response.set_canceled(true);
  response.set_compact_revision(compacted);
  response.set_cancel_reason(std::move(reason));
  for (Stream* stream : shared.streams) stream->Write(response);
}

}  // namespace dray::store::etcd::testing
