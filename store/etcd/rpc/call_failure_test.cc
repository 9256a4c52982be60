// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/call_failure.h"

#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace dray::store::etcd::rpc {
namespace {

using ::testing::HasSubstr;

using Kind = CallFailure::Kind;

struct FailureCase {
  std::string_view name;
  CallEnd end;
  Kind kind;
  StatusReason commit, read;
};

constexpr int kGrpcCanceled = 1;
constexpr int kGrpcInvalidArgument = 3;
constexpr int kGrpcDeadline = 4;
constexpr int kGrpcNotFound = 5;
constexpr int kGrpcPermission = 7;
constexpr int kGrpcExhausted = 8;
constexpr int kGrpcOutOfRange = 11;
constexpr int kGrpcUnimplemented = 12;
constexpr int kGrpcInternal = 13;
constexpr int kGrpcUnavailable = 14;

CallEnd End(int code, std::string_view message, bool has_peer = true) {
  return {.code = code, .message = message, .url = "http://etcd:2379", .has_peer = has_peer};
}

TEST(EtcdCallFailure, SaysWhatMayHaveHappened) {
  using enum StatusReason;
  const FailureCase cases[] = {
      {"no connection",
       End(kGrpcUnavailable, "failed to connect to all addresses; last error: …", false),
       Kind::kNotSent,
       kServiceUnavailable,
       kServiceUnavailable},
      {"no name",
       End(kGrpcUnavailable, "DNS resolution failed for etcd", false),
       Kind::kNotSent,
       kServiceUnavailable,
       kServiceUnavailable},
      {"cut",
       End(kGrpcUnavailable, "recvmsg:Connection reset by peer"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"the same words from a server that was reached",
       End(kGrpcUnavailable, "failed to connect to all addresses"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"unknown words",
       End(kGrpcUnavailable, "Socket closed", false),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"too late",
       End(kGrpcDeadline, "Deadline Exceeded", false),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"given up",
       End(kGrpcCanceled, "CANCELLED"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"broken stream",
       End(kGrpcInternal, "Received RST_STREAM"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"timed out in etcd",
       End(kGrpcUnavailable, "etcdserver: request timed out"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"leader changed",
       End(kGrpcUnavailable, "etcdserver: leader changed"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"stopping",
       End(kGrpcUnavailable, "etcdserver: server stopped"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"no leader",
       End(kGrpcUnavailable, "etcdserver: no leader"),
       Kind::kNoLeader,
       kServiceUnavailable,
       kServiceUnavailable},
      {"overloaded",
       End(kGrpcExhausted, "etcdserver: too many requests"),
       Kind::kOverloaded,
       kTooManyRequests,
       kTooManyRequests},
      {"compacted",
       End(kGrpcOutOfRange, "etcdserver: mvcc: required revision has been compacted"),
       Kind::kCompacted,
       kExpired,
       kExpired},
      {"future",
       End(kGrpcOutOfRange, "etcdserver: mvcc: required revision is a future revision"),
       Kind::kFuture,
       kTimeout,
       kTimeout},
      {"too large",
       End(kGrpcInvalidArgument, "etcdserver: request is too large"),
       Kind::kTooLarge,
       kRequestEntityTooLarge,
       kRequestEntityTooLarge},
      {"not even read",
       End(kGrpcExhausted, "grpc: received message larger than max (3 vs. 2)"),
       Kind::kTooLarge,
       kRequestEntityTooLarge,
       kRequestEntityTooLarge},
      {"full",
       End(kGrpcExhausted, "etcdserver: mvcc: database space exceeded"),
       Kind::kNoSpace,
       kTimeout,
       kInternalError},
      {"lease",
       End(kGrpcNotFound, "etcdserver: requested lease not found"),
       Kind::kLeaseNotFound,
       kInternalError,
       kInternalError},
      {"denied",
       End(kGrpcPermission, "etcdserver: permission denied"),
       Kind::kDenied,
       kForbidden,
       kForbidden},
      {"not etcd",
       End(kGrpcUnimplemented, "unknown service etcdserverpb.KV"),
       Kind::kNotEtcd,
       kServiceUnavailable,
       kServiceUnavailable},
      {"anything else",
       End(kGrpcInvalidArgument, "etcdserver: key is not provided"),
       Kind::kRefused,
       kInternalError,
       kInternalError},
  };
  for (const FailureCase& each : cases) {
    SCOPED_TRACE(each.name);
    const CallFailure failure = Classify(each.end);
    EXPECT_EQ(failure.kind, each.kind);
    EXPECT_EQ(CommitError(failure).reason, each.commit);
    EXPECT_EQ(ReadError(failure).reason, each.read);
    EXPECT_THAT(failure.message, HasSubstr("http://etcd:2379"));
    EXPECT_EQ(
        MayTryElsewhere(failure),
        each.kind == Kind::kNotSent || each.kind == Kind::kNoLeader || each.kind == Kind::kNotEtcd);
  }
}

}  // namespace
}  // namespace dray::store::etcd::rpc
