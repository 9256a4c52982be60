// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/client.h"

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/connection.h"
#include "store/etcd/rpc/endpoints.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {
namespace {

/// Receives an answer, for a thread that waits for it.
template <class Out>
struct Waiter {
  std::promise<Answer<Out>> promise;
  std::future<Answer<Out>> future = promise.get_future();

  Receive<Out> receiver() {
    return [this](Answer<Out> answer) { promise.set_value(std::move(answer)); };
  }
};

Result<std::string> ReadFile(Disk& disk, const std::string& path, std::string_view marker) {
  if (path.empty()) return "";
  DRAY_TRY(std::string text, disk.Read(path));
  if (text.contains(marker)) return text;
  return Fail(StatusReason::kBadRequest,
              fmt::format("{} is not a PEM file: it has no \"{}\"", path, marker));
}

}  // namespace

Result<std::unique_ptr<Client>> Client::Make(Disk& disk, const EtcdOptions& options) {
  DRAY_TRY(const Endpoints endpoints, ParseEndpoints(options));
  constexpr std::string_view kCertificate = "-----BEGIN CERTIFICATE-----";
  TlsTexts texts;
  DRAY_TRY(texts.ca, ReadFile(disk, options.ca_file, kCertificate));
  DRAY_TRY(texts.certificate, ReadFile(disk, options.certificate_file, kCertificate));
  DRAY_TRY(texts.key, ReadFile(disk, options.key_file, "PRIVATE KEY-----"));
  DRAY_TRY(MakeClient* const make, FindGrpc());
  return make(options, endpoints, texts);
}

Answer<RangeAnswer> Client::RangeAndWait(const RangeQuery& query, Timeout timeout) {
  Waiter<RangeAnswer> waiter;
  Range(query, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<TxnAnswer> Client::TxnAndWait(const TxnQuery& query, Timeout timeout) {
  Waiter<TxnAnswer> waiter;
  Txn(query, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<Revision> Client::CompactAndWait(Revision revision, Timeout timeout) {
  Waiter<Revision> waiter;
  Compact(revision, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<LeaseAnswer> Client::GrantLeaseAndWait(int64_t ttl_seconds, Timeout timeout) {
  Waiter<LeaseAnswer> waiter;
  GrantLease(ttl_seconds, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<StatusAnswer> Client::StatusAtAndWait(size_t endpoint, Timeout timeout) {
  Waiter<StatusAnswer> waiter;
  StatusAt(endpoint, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<StatusAnswer> Client::StatusForWatchAndWait(size_t endpoint, Timeout timeout) {
  Waiter<StatusAnswer> waiter;
  StatusForWatch(endpoint, timeout, waiter.receiver());
  return waiter.future.get();
}

Answer<HashAnswer> Client::HashKvAndWait(size_t endpoint, Revision revision, Timeout timeout) {
  Waiter<HashAnswer> waiter;
  HashKv(endpoint, revision, timeout, waiter.receiver());
  return waiter.future.get();
}

}  // namespace dray::store::etcd::rpc
