// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/call_failure.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"

namespace dray::store::etcd::rpc {
namespace {

using Kind = CallFailure::Kind;

// The codes of gRPC that matter here (grpc/status.h, which is too heavy to include for this).
constexpr int kDeadlineExceeded = 4;
constexpr int kPermissionDenied = 7;
constexpr int kResourceExhausted = 8;
constexpr int kUnimplemented = 12;
constexpr int kUnavailable = 14;
constexpr int kUnauthenticated = 16;

/// Error texts of etcd (api/v3rpc/rpctypes), each with its meaning. Texts that can come after the
/// proposal was made ("request timed out", "leader changed", "server stopped") are left out because
/// their outcome is unknown.
struct Words {
  std::string_view text;
  Kind kind;
};
constexpr auto kEtcdWords = std::to_array<Words>({
    {"etcdserver: no leader", Kind::kNoLeader},
    {"etcdserver: not capable", Kind::kNoLeader},
    {"etcdserver: too many requests", Kind::kOverloaded},
    {"etcdserver: mvcc: required revision has been compacted", Kind::kCompacted},
    {"etcdserver: mvcc: required revision is a future revision", Kind::kFuture},
    {"etcdserver: request is too large", Kind::kTooLarge},
    {"etcdserver: too many operations in txn request", Kind::kTooLarge},
    {"received message larger than max", Kind::kTooLarge},
    {"etcdserver: mvcc: database space exceeded", Kind::kNoSpace},
    {"etcdserver: requested lease not found", Kind::kLeaseNotFound},
    {"etcdserver: permission denied", Kind::kDenied},
    {"etcdserver: user name is empty", Kind::kDenied},
    {"etcdserver: invalid auth token", Kind::kDenied},
});

/// Beginnings of gRPC's error texts when there was no connection for a request. With another text,
/// or once gRPC knows the peer, the request may have left.
constexpr auto kNoConnection = std::to_array<std::string_view>({
    "failed to connect to all addresses",
    "DNS resolution failed",
    "empty address list",
});

bool WasNotSent(const CallEnd& end) {
  return end.code == kUnavailable && !end.has_peer &&
         std::ranges::any_of(kNoConnection, [&](std::string_view initial) {
           return end.message.starts_with(initial);
         });
}

Kind KindOf(const CallEnd& end) {
  if (WasNotSent(end)) return Kind::kNotSent;
  for (const Words& words : kEtcdWords) {
    if (end.message.contains(words.text)) return words.kind;
  }
  if (end.code == kUnimplemented) return Kind::kNotEtcd;
  if (end.code == kPermissionDenied || end.code == kUnauthenticated) return Kind::kDenied;
  if (end.code == kResourceExhausted) return Kind::kRefused;
  const bool from_etcd = end.message.starts_with("etcdserver: ");
  if (end.code == kUnavailable || end.code == kDeadlineExceeded || !from_etcd) {
    return Kind::kUnanswered;
  }
  return Kind::kRefused;
}

/// Advice for a connection that cannot be made; empty if there is nothing to add.
std::string_view Advice(const CallEnd& end) {
  const std::string_view text = end.message;
  if (text.contains("certificate verify failed")) {
    return "its certificate is not signed by an authority of the CA file";
  }
  if (text.contains("is not in peer certificate")) {
    return "its certificate is for another name";
  }
  if (text.contains("Connection refused")) return "no process listens there";
  if (text.contains("WRONG_VERSION_NUMBER") || text.contains("wrong version number")) {
    return "it does not speak TLS: use http://";
  }
  if (text.contains("Failed parsing HTTP/2") || text.contains("http1.x server")) {
    return "it is not an etcd";
  }
  if (text.contains("timed out before receiving SETTINGS")) return "it does not answer in time";
  const bool hung_up = text.contains("Endpoint read failed") || text.contains("Socket closed") ||
                       text.contains("Connection reset");
  if (hung_up && end.tls && !end.has_certificate) {
    return "it hung up after the TLS handshake: it wants a client certificate, or is no etcd with "
           "TLS";
  }
  if (hung_up && end.tls) {
    return "it hung up after the TLS handshake: it does not accept the client certificate, or is "
           "no etcd with TLS";
  }
  if (hung_up) return "it hung up: it wants https://, or is not an etcd";
  return "";
}

std::string MessageOf(const CallEnd& end, Kind kind) {
  switch (kind) {
    case Kind::kNotEtcd: return fmt::format("{} is not an etcd: {}", end.url, end.message);
    case Kind::kNotSent: {
      const std::string_view advice = Advice(end);
      return fmt::format("etcd at {} cannot be reached: {}{}{}",
                         end.url,
                         advice,
                         advice.empty() ? "" : ": ",
                         end.message);
    }
    case Kind::kNoSpace:
      return fmt::format(
          "the database of etcd at {} is full: compact and defragment it, then clear the alarm "
          "(etcdctl alarm disarm), or raise --quota-backend-bytes: {}",
          end.url,
          end.message);
    case Kind::kTooLarge:
      return fmt::format("the request is too large for etcd at {} (its --max-request-bytes): {}",
                         end.url,
                         end.message);
    case Kind::kUnanswered:
      if (end.code != kDeadlineExceeded) break;
      return fmt::format("etcd at {} does not answer in time", end.url);
    case Kind::kNoLeader:
    case Kind::kOverloaded:
    case Kind::kCompacted:
    case Kind::kFuture:
    case Kind::kLeaseNotFound:
    case Kind::kDenied:
    case Kind::kRefused: break;
  }
  return fmt::format("etcd at {}: {}", end.url, end.message);
}

StatusReason ReasonOf(Kind kind) {
  switch (kind) {
    case Kind::kNotSent:
    case Kind::kNoLeader:
    case Kind::kNotEtcd:
    case Kind::kUnanswered: return StatusReason::kServiceUnavailable;
    case Kind::kOverloaded: return StatusReason::kTooManyRequests;
    case Kind::kCompacted: return StatusReason::kExpired;
    case Kind::kFuture: return StatusReason::kTimeout;
    case Kind::kTooLarge: return StatusReason::kRequestEntityTooLarge;
    case Kind::kDenied: return StatusReason::kForbidden;
    case Kind::kNoSpace:
    case Kind::kLeaseNotFound:
    case Kind::kRefused: return StatusReason::kInternalError;
  }
}

}  // namespace

CallFailure Classify(const CallEnd& end) {
  const Kind kind = KindOf(end);
  return {.kind = kind, .message = MessageOf(end, kind)};
}

bool MayTryElsewhere(const CallFailure& failure) {
  return failure.kind == Kind::kNotSent || failure.kind == Kind::kNoLeader ||
         failure.kind == Kind::kNotEtcd;
}

Error CommitError(const CallFailure& failure) {
  // etcd checks its quota twice. It reports the result of the second check after carrying out the
  // transaction, so kNoSpace does not show whether the transaction was carried out.
  const bool is_known = failure.kind != Kind::kUnanswered && failure.kind != Kind::kNoSpace;
  if (is_known) return ReadError(failure);
  return {.reason = StatusReason::kTimeout,
          .message = fmt::format("whether it was carried out is not known, read before trying "
                                 "again: {}",
                                 failure.message)};
}

Error ReadError(const CallFailure& failure) {
  return {.reason = ReasonOf(failure.kind), .message = failure.message};
}

}  // namespace dray::store::etcd::rpc
