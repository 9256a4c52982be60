// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/channels.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "base/mutex.h"
#include "etcd.grpc.pb.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/endpoints.h"

namespace dray::store::etcd::rpc {
namespace {

int Milliseconds(std::chrono::milliseconds duration) {
  return static_cast<int>(duration.count());
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(bool tls, const TlsTexts& texts) {
  if (!tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = texts.ca;
  options.pem_cert_chain = texts.certificate;
  options.pem_private_key = texts.key;
  return grpc::SslCredentials(options);
}

grpc::ChannelArguments ArgumentsOf(const EtcdOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // etcd limits events by limiting requests
  arguments.SetMaxSendMessageSize(-1);     // etcd reports requests that are too large
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive_time));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive_timeout));
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // a quiet watch is probed for ever
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, Milliseconds(options.dial_backoff_min));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Milliseconds(options.dial_backoff_max));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, Milliseconds(options.dial_timeout));
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // this client decides what may be repeated
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // Channels must not share connections, because calls and watches need separate ones.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

}  // namespace

Channels::Channels(const EtcdOptions& options, const Endpoints& endpoints, const TlsTexts& texts)
    : tls_(endpoints.tls), has_certificate_(!texts.certificate.empty()) {
  // gRPC's log is dropped, because all its errors come back as the status of a call.
  gpr_set_log_function([](gpr_log_func_args* /*line*/) {});
  const std::shared_ptr<grpc::ChannelCredentials> credentials = CredentialsOf(tls_, texts);
  const grpc::ChannelArguments arguments = ArgumentsOf(options);
  for (const Endpoint& endpoint : endpoints.members) {
    Member member{.endpoint = endpoint,
                  .target = "dns:///" + endpoint.address,
                  .calls = nullptr,
                  .watches = nullptr,
                  .kv = nullptr,
                  .lease = nullptr,
                  .maintenance = nullptr,
                  .watch_maintenance = nullptr,
                  .watch = nullptr};
    member.calls = grpc::CreateCustomChannel(member.target, credentials, arguments);
    member.watches = grpc::CreateCustomChannel(member.target, credentials, arguments);
    member.kv = etcdserverpb::KV::NewStub(member.calls);
    member.lease = etcdserverpb::Lease::NewStub(member.calls);
    member.maintenance = etcdserverpb::Maintenance::NewStub(member.calls);
    member.watch_maintenance = etcdserverpb::Maintenance::NewStub(member.watches);
    member.watch = etcdserverpb::Watch::NewStub(member.watches);
    members_.push_back(std::move(member));
  }
}

Channels::~Channels() {
  Close();
}

void Channels::Close() {
  const MutexLock lock(mutex_);
  closing_ = true;
  for (grpc::ClientContext* context : in_flight_) context->TryCancel();
  while (entered_ > 0) idle_.Wait(mutex_);
}

size_t Channels::Choose() {
  const size_t current = current_;
  const auto is_broken = [&](size_t index) {
    return members_[index].calls->GetState(true) == GRPC_CHANNEL_TRANSIENT_FAILURE;
  };
  for (size_t i = 0; i < size(); ++i) {
    const size_t index = (current + i) % size();
    if (!is_broken(index)) return index;
  }
  return current;
}

void Channels::MoveOn(size_t index) {
  current_.compare_exchange_strong(index, (index + 1) % size());
}

bool Channels::Enter(grpc::ClientContext& context) {
  const MutexLock lock(mutex_);
  if (closing_) return false;
  in_flight_.insert(&context);
  ++entered_;
  return true;
}

void Channels::End(grpc::ClientContext& context) {
  const MutexLock lock(mutex_);
  in_flight_.erase(&context);
}

void Channels::Leave() {
  const MutexLock lock(mutex_);
  if (--entered_ == 0) idle_.NotifyAll();
}

CallFailure Channels::FailureOf(size_t index,
                                const grpc::ClientContext& context,
                                const grpc::Status& status) const {
  const Member& member = members_[index];
  // If a connection has taken the request, the peer is an address; before that, gRPC reports the
  // target of the channel instead.
  const std::string peer = context.peer();
  return Classify({.code = status.error_code(),
                   .message = status.error_message(),
                   .url = member.endpoint.url,
                   .has_peer = peer != member.target && !peer.empty() && peer != "unknown",
                   .tls = tls_,
                   .has_certificate = has_certificate_});
}

CallFailure Channels::Closing() const {
  return {.kind = CallFailure::Kind::kNotSent, .message = "the store is closing"};
}

}  // namespace dray::store::etcd::rpc
