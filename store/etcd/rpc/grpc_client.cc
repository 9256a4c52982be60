// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/grpc_client.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "base/strong.h"
#include "etcd.grpc.pb.h"
#include "etcd.pb.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/channels.h"
#include "store/etcd/rpc/connection.h"
#include "store/etcd/rpc/endpoints.h"
#include "store/etcd/rpc/messages.h"
#include "store/etcd/rpc/wire.h"

namespace dray::store::etcd::rpc {
namespace {

using Done = std::function<void(grpc::Status)>;
using Kind = CallFailure::Kind;

/// One call, made again elsewhere while that is safe. Owns itself until it has answered.
template <class Request, class Response, class Out>
class Call : public std::enable_shared_from_this<Call<Request, Response, Out>> {
 public:
  /// How to make it at one member.
  using Begin = void (*)(const Member&, grpc::ClientContext*, const Request*, Response*, Done);
  using Convert = std::move_only_function<Out(Response&)>;

  Call(Channels& channels, Request request, Timeout timeout, Convert convert, Receive<Out> receive)
      : channels_(channels),
        request_(std::move(request)),
        timeout_(timeout),
        convert_(std::move(convert)),
        receive_(std::move(receive)) {}

  void Start(Begin begin) { StartAt(channels_.Choose(), begin, channels_.size()); }
  /// At this endpoint and no other.
  void StartAt(size_t index, Begin begin) { StartAt(index, begin, 1); }

 private:
  void StartAt(size_t index, Begin begin, size_t tries_left) {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(gpr_time_from_millis(timeout_.count(), GPR_TIMESPAN));
    // A member without a leader says so, instead of keeping the call until the time is over.
    context_->AddMetadata("hasleader", "true");
    Done done = [self = this->shared_from_this(), index, begin, tries_left](
                    const grpc::Status& status) { self->Finish(index, begin, tries_left, status); };
    if (!channels_.Enter(*context_)) return receive_(std::unexpected(channels_.Closing()));
    begin(channels_[index], context_.get(), &request_, &response_, std::move(done));
  }

  // noexcept: gRPC would swallow a bad_alloc, and the receiver would wait for ever.
  void Finish(size_t index, Begin begin, size_t tries_left, const grpc::Status& status) noexcept {
    channels_.End(*context_);
    Conclude(index, begin, tries_left, status);
    channels_.Leave();  // last: the thread that waits for it destroys what the receiver uses
  }

  void Conclude(size_t index, Begin begin, size_t tries_left, const grpc::Status& status) {
    Answer<Out> answer = std::unexpected(CallFailure{});
    if (status.ok()) {
      answer = convert_(response_);
    } else {
      answer = std::unexpected(channels_.FailureOf(index, *context_, status));
    }
    context_.reset();
    const bool elsewhere = !answer.has_value() && MayTryElsewhere(answer.error());
    if (elsewhere || (!answer.has_value() && answer.error().kind == Kind::kUnanswered)) {
      channels_.MoveOn(index);
    }
    if (elsewhere && tries_left > 1) {
      StartAt((index + 1) % channels_.size(), begin, tries_left - 1);
    } else {
      // What it holds ends before the call leaves.
      Receive<Out> receive = std::exchange(receive_, nullptr);
      receive(std::move(answer));
    }
  }

  Channels& channels_;
  const Request request_;
  const Timeout timeout_;
  Convert convert_;
  Receive<Out> receive_;
  Response response_;
  std::unique_ptr<grpc::ClientContext> context_;
};

template <class Request, class Response, class Out>
auto MakeCall(Channels& channels,
              Request request,
              Timeout timeout,
              std::move_only_function<Out(Response&)> convert,
              Receive<Out> receive) {
  return std::make_shared<Call<Request, Response, Out>>(
      channels, std::move(request), timeout, std::move(convert), std::move(receive));
}

/// By one of the member's stubs: calls and watches have each their own connection.
template <auto kStub>
void BeginStatus(const Member& member,
                 grpc::ClientContext* context,
                 const wire::StatusRequest* request,
                 wire::StatusResponse* response,
                 Done done) {
  (member.*kStub)->async()->Status(context, request, response, std::move(done));
}

using StatusCall = Call<wire::StatusRequest, wire::StatusResponse, StatusAnswer>;

void AskStatus(Channels& channels,
               size_t endpoint,
               Timeout timeout,
               Receive<StatusAnswer> receive,
               StatusCall::Begin begin) {
  MakeCall<wire::StatusRequest, wire::StatusResponse, StatusAnswer>(
      channels,
      wire::StatusRequest(),
      timeout,
      [](wire::StatusResponse& response) { return FromWire(response); },
      std::move(receive))
      ->StartAt(endpoint, begin);
}

}  // namespace

std::unique_ptr<Client> MakeGrpcClient(const EtcdOptions& options,
                                       const Endpoints& endpoints,
                                       const TlsTexts& texts) {
  return std::make_unique<GrpcClient>(options, endpoints, texts);
}

GrpcClient::GrpcClient(const EtcdOptions& options,
                       const Endpoints& endpoints,
                       const TlsTexts& texts)
    : channels_(options, endpoints, texts) {}

void GrpcClient::Close() {
  channels_.Close();
}

void GrpcClient::Range(const RangeQuery& query, Timeout timeout, Receive<RangeAnswer> receive) {
  MakeCall<wire::RangeRequest, wire::RangeResponse, RangeAnswer>(
      channels_,
      ToWire(query),
      timeout,
      [](wire::RangeResponse& response) { return FromWire(response); },
      std::move(receive))
      ->Start([](const Member& member,
                 grpc::ClientContext* context,
                 const wire::RangeRequest* request,
                 wire::RangeResponse* response,
                 Done done) {
        member.kv->async()->Range(context, request, response, std::move(done));
      });
}

void GrpcClient::Txn(const TxnQuery& query, Timeout timeout, Receive<TxnAnswer> receive) {
  MakeCall<wire::TxnRequest, wire::TxnResponse, TxnAnswer>(
      channels_,
      ToWire(query),
      timeout,
      [writes = query.writes.size(), reads = query.otherwise_read.size()](
          wire::TxnResponse& response) { return FromWire(response, writes, reads); },
      std::move(receive))
      ->Start(
          [](const Member& member,
             grpc::ClientContext* context,
             const wire::TxnRequest* request,
             wire::TxnResponse* response,
             Done done) { member.kv->async()->Txn(context, request, response, std::move(done)); });
}

void GrpcClient::Compact(Revision revision, Timeout timeout, Receive<Revision> receive) {
  wire::CompactionRequest message;
  message.set_revision(revision.value());
  MakeCall<wire::CompactionRequest, wire::CompactionResponse, Revision>(
      channels_,
      message,
      timeout,
      [](wire::CompactionResponse& response) { return Revision{response.header().revision()}; },
      std::move(receive))
      ->Start([](const Member& member,
                 grpc::ClientContext* context,
                 const wire::CompactionRequest* request,
                 wire::CompactionResponse* response,
                 Done done) {
        member.kv->async()->Compact(context, request, response, std::move(done));
      });
}

void GrpcClient::GrantLease(int64_t ttl_seconds, Timeout timeout, Receive<LeaseAnswer> receive) {
  wire::LeaseGrantRequest message;
  message.set_ttl(ttl_seconds);
  MakeCall<wire::LeaseGrantRequest, wire::LeaseGrantResponse, LeaseAnswer>(
      channels_,
      message,
      timeout,
      [](wire::LeaseGrantResponse& response) {
        return LeaseAnswer{.id = response.id(), .ttl_seconds = response.ttl()};
      },
      std::move(receive))
      ->Start([](const Member& member,
                 grpc::ClientContext* context,
                 const wire::LeaseGrantRequest* request,
                 wire::LeaseGrantResponse* response,
                 Done done) {
        member.lease->async()->LeaseGrant(context, request, response, std::move(done));
      });
}

void GrpcClient::StatusAt(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) {
  AskStatus(channels_, endpoint, timeout, std::move(receive), BeginStatus<&Member::maintenance>);
}

void GrpcClient::HashKv(size_t endpoint,
                        Revision revision,
                        Timeout timeout,
                        Receive<HashAnswer> receive) {
  wire::HashKVRequest message;
  message.set_revision(revision.value());
  MakeCall<wire::HashKVRequest, wire::HashKVResponse, HashAnswer>(
      channels_,
      message,
      timeout,
      [](wire::HashKVResponse& response) {
        return HashAnswer{.hash = response.hash(),
                          .compacted = Revision{response.compact_revision()}};
      },
      std::move(receive))
      ->StartAt(endpoint,
                [](const Member& member,
                   grpc::ClientContext* context,
                   const wire::HashKVRequest* request,
                   wire::HashKVResponse* response,
                   Done done) {
                  member.maintenance->async()->HashKV(context, request, response, std::move(done));
                });
}

void GrpcClient::StatusForWatch(size_t endpoint, Timeout timeout, Receive<StatusAnswer> receive) {
  AskStatus(
      channels_, endpoint, timeout, std::move(receive), BeginStatus<&Member::watch_maintenance>);
}

size_t GrpcClient::endpoint_count() const {
  return channels_.size();
}

const std::string& GrpcClient::url(size_t endpoint) const {
  return channels_[endpoint].endpoint.url;
}

void GrpcClient::Prefer(size_t endpoint) {
  channels_.Prefer(endpoint);
}

}  // namespace dray::store::etcd::rpc
