// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/restore.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "store/etcd/requests/leases.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/store.h"

namespace dray::store::etcd {
namespace {

constexpr rpc::Timeout kPatience{30'000};

}  // namespace

Result<Restorer> Restorer::Begin(rpc::Client& client, const Clock& clock, std::string prefix) {
  const rpc::Answer<rpc::RangeAnswer> there = client.RangeAndWait(
      {.keys = rpc::SpanOfPrefix(prefix), .limit = 1, .keys_only = true}, kPatience);
  if (!there.has_value()) return Fail(rpc::ReadError(there.error()));
  if (!there->kvs.empty()) {
    return Fail(StatusReason::kAlreadyExists,
                fmt::format("etcd has keys below {} already, {} is the first: restore into an "
                            "empty one",
                            prefix,
                            there->kvs.front().key));
  }
  return Restorer(client, clock, std::move(prefix));
}

Result<> Restorer::Add(const Record& record) {
  if (!record.key.starts_with(prefix_)) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("the key {} does not begin with {}", record.key, prefix_));
  }
  const WallTime now = clock_->Now();
  if (record.expiry.has_value() && *record.expiry <= now) return {};
  const size_t bytes = record.key.size() + record.value.size();
  if (pending_.size() == kTxnOperationsMax || pending_bytes_ + bytes > kBatchBytes) {
    DRAY_TRY_VOID(Write());
  }
  int64_t lease = 0;
  if (record.expiry.has_value()) {
    DRAY_TRY(lease, LeaseFor(*record.expiry, now));
  }
  pending_.push_back(
      {.key = std::string(record.key), .value = std::string(record.value), .lease = lease});
  pending_bytes_ += bytes;
  return {};
}

Result<int64_t> Restorer::LeaseFor(WallTime expiry, WallTime now) {
  if (const std::optional<int64_t> lease = leases_.Take(expiry, now)) return *lease;
  const rpc::Answer<rpc::LeaseAnswer> granted =
      client_->GrantLeaseAndWait(requests::Leases::TtlSeconds(expiry, now), kPatience);
  if (!granted.has_value()) return Fail(rpc::ReadError(granted.error()));
  leases_.Add(granted->id, granted->ttl_seconds, now);
  return granted->id;
}

Result<> Restorer::Write() {
  if (pending_.empty()) return {};
  rpc::TxnQuery query;
  for (const Pending& each : pending_) {
    query.conditions.push_back(
        {.of = rpc::TxnQuery::Condition::Of::kModified, .key = each.key, .equals = 0});
    query.writes.push_back({.key = each.key, .value = each.value, .lease = each.lease});
  }
  const rpc::Answer<rpc::TxnAnswer> answer = client_->TxnAndWait(query, kPatience);
  if (!answer.has_value()) return Fail(rpc::CommitError(answer.error()));
  if (!answer->succeeded) {
    return Fail(
        StatusReason::kConflict,
        fmt::format("another program writes below {}: one of the {} keys from {} on is there "
                    "already",
                    prefix_,
                    pending_.size(),
                    pending_.front().key));
  }
  done_.keys += pending_.size();
  done_.newest = answer->revision;
  pending_.clear();
  pending_bytes_ = 0;
  return {};
}

Result<Restorer::Done> Restorer::Finish() {
  DRAY_TRY_VOID(Write());
  return done_;
}

}  // namespace dray::store::etcd
