// SPDX-License-Identifier: Apache-2.0
// Versions, pages, leases, turns of compaction, waiting, and what failures of calls mean.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/arrivals.h"
#include "store/etcd/call_failure.h"
#include "store/etcd/compaction.h"
#include "store/etcd/leases.h"
#include "store/etcd/messages.h"
#include "store/etcd/pages.h"
#include "store/etcd/versions.h"

namespace dray::store::etcd {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(EtcdVersions, ProgressIsReliableFromSomeVersionsOn) {
  for (const char* version : {"3.4.31", "3.4.32", "3.5.13", "3.5.14-rc.0", "3.6.0", "4.0.0"}) {
    EXPECT_TRUE(HasReliableProgress(version)) << version;
  }
  for (const char* version : {"3.4.30", "3.4.23", "3.3.99", "3.5.0", "3.5.12", "", "new"}) {
    EXPECT_FALSE(HasReliableProgress(version)) << version;
  }
}

TEST(EtcdPages, PagesGrowUntilTheirBytesDo) {
  EXPECT_EQ(NextPageKeys(500, 500, 500 * 100), 1000) << "small values: twice as many";
  EXPECT_EQ(NextPageKeys(8000, 8000, 8000 * 100), kPageKeysMax);
  EXPECT_EQ(NextPageKeys(500, 500, size_t{500} << 20U), 8) << "1 MiB each: 8 MiB";
  EXPECT_EQ(NextPageKeys(1, 1, kPageBytes * 2), 1) << "never none";
  EXPECT_EQ(NextPageKeys(500, 0, 0), 500);
}

constexpr WallTime kNow{hours(24 * 365)};

TEST(EtcdLeases, ARecordOutlivesItsExpiryALittle) {
  EXPECT_EQ(Leases::TtlSeconds(kNow + hours(1), kNow), 3600 + 60) << "a minute at most";
  EXPECT_EQ(Leases::TtlSeconds(kNow + seconds(100), kNow), 105) << "or a twentieth";
  EXPECT_EQ(Leases::TtlSeconds(kNow + milliseconds(1), kNow), 1) << "whole seconds";
  EXPECT_EQ(Leases::TtlSeconds(kNow - hours(1), kNow), 1) << "what is due already goes soon";
}

TEST(EtcdLeases, NearExpiriesShareOne) {
  Leases leases;
  const WallTime expiry = kNow + hours(1);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
  leases.Add(7, Leases::TtlSeconds(expiry, kNow), kNow);
  EXPECT_EQ(leases.Take(expiry, kNow), 7);
  EXPECT_EQ(leases.Take(expiry + seconds(60), kNow + seconds(60)), 7) << "at the end of its slack";
  EXPECT_EQ(leases.Take(expiry + seconds(61), kNow + seconds(61)), std::nullopt);
  EXPECT_EQ(leases.Take(expiry - seconds(10), kNow), std::nullopt) << "it would stay too long";
  EXPECT_EQ(leases.Take(expiry, kNow + hours(2)), std::nullopt) << "it has ended";
}

TEST(EtcdLeases, OneHasAMostOfRecords) {
  Leases leases;
  const WallTime expiry = kNow + hours(1);
  leases.Add(7, Leases::TtlSeconds(expiry, kNow), kNow);
  for (size_t i = 1; i < Leases::kRecordsMax; ++i) ASSERT_EQ(leases.Take(expiry, kNow), 7);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
  leases.Add(8, Leases::TtlSeconds(expiry, kNow), kNow);
  EXPECT_EQ(leases.Take(expiry, kNow), 8);
  leases.Forget(8);
  EXPECT_EQ(leases.Take(expiry, kNow), std::nullopt);
}

TEST(EtcdLeases, RememberedOnesHaveAMost) {
  Leases leases;
  for (size_t i = 0; i <= Leases::kLeasesMax; ++i) {
    leases.Add(static_cast<int64_t>(i), static_cast<int64_t>(100 + 100 * i), kNow);
  }
  EXPECT_EQ(leases.size(), Leases::kLeasesMax);
  EXPECT_EQ(leases.Take(kNow + seconds(97), kNow), std::nullopt) << "the first to end is forgotten";
}

constexpr MonotonicTime At(minutes since) {
  return MonotonicTime(since);
}

/// etcd's side of the agreement.
struct KeyOfCompaction {
  int64_t version = 0;
  std::string value{};

  TxnAnswer Answer(const TxnQuery& query, int64_t revision) {
    const TxnQuery::Condition& condition = query.conditions.at(0);
    EXPECT_EQ(condition.key, "compact_rev_key");
    EXPECT_EQ(condition.of, TxnQuery::Condition::Of::kVersion);
    if (condition.equals == version) {
      ++version;
      value = *query.writes.at(0).value;
      return {.succeeded = true, .revision = Revision{revision}, .changed = {true}};
    }
    return {.succeeded = false,
            .revision = Revision{revision},
            .read = {KeyValue{.key = "compact_rev_key", .value = value, .version = version}}};
  }
};

TEST(EtcdCompaction, OneServerCompactsWhatWasNewestOneIntervalAgo) {
  Compaction a(minutes(5), At(minutes(0)));
  Compaction b(minutes(5), At(minutes(0)));
  KeyOfCompaction key;
  EXPECT_EQ(a.Try(At(minutes(4))), std::nullopt);
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(5))).value(), 100)), std::nullopt)
      << "at first nobody knows where etcd was";
  EXPECT_EQ(a.Try(At(minutes(6))), std::nullopt) << "once an interval";
  EXPECT_EQ(b.Next(key.Answer(b.Try(At(minutes(5))).value(), 105)), std::nullopt) << "too late";
  EXPECT_EQ(key.version, 1);
  EXPECT_EQ(b.Next(key.Answer(b.Try(At(minutes(10))).value(), 200)), Revision{105});
  EXPECT_EQ(key.value, "105");
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(10))).value(), 201)), std::nullopt);
  EXPECT_EQ(a.Next(key.Answer(a.Try(At(minutes(15))).value(), 300)), Revision{201});
  EXPECT_EQ(key.version, 3);
}

TEST(EtcdCompaction, AServerThatComesLaterLearns) {
  KeyOfCompaction key{.version = 41, .value = "7"};
  Compaction late(minutes(5), At(minutes(0)));
  EXPECT_EQ(late.Next(key.Answer(late.Try(At(minutes(5))).value(), 100)), std::nullopt);
  EXPECT_EQ(late.Next(key.Answer(late.Try(At(minutes(10))).value(), 200)), Revision{100});
  EXPECT_EQ(key.version, 42);
}

TEST(EtcdCompaction, AnIntervalOfZeroIsNever) {
  Compaction never(minutes(0), At(minutes(0)));
  EXPECT_EQ(never.Try(At(hours(1000))), std::nullopt);
}

class EtcdArrivals : public testing::Test {
 protected:
  void WaitFor(int64_t revision, int deadline_minutes) {
    arrivals_.WaitFor(
        Revision{revision}, At(minutes(deadline_minutes)), [this, revision](Arrival how) {
          const std::array<std::string_view, 3> names = {"reached", "late", "closing"};
          told_.push_back(std::to_string(revision) + " " +
                          std::string(names.at(static_cast<size_t>(how))));
        });
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  Arrivals arrivals_{Revision{10}};
  std::vector<std::string> told_;
};

TEST_F(EtcdArrivals, EachIsToldOnce) {
  WaitFor(10, 1);
  EXPECT_THAT(Told(), ElementsAre("10 reached"));
  WaitFor(12, 1);
  WaitFor(11, 1);
  WaitFor(13, 1);
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_TRUE(arrivals_.someone_waits());
  arrivals_.Reach(Revision{12});
  EXPECT_THAT(Told(), ElementsAre("11 reached", "12 reached"));
  arrivals_.Reach(Revision{11});
  EXPECT_EQ(arrivals_.reached(), Revision{12}) << "never back";
  EXPECT_EQ(arrivals_.GiveUp(At(minutes(1))), 1U);
  EXPECT_THAT(Told(), ElementsAre("13 late"));
  EXPECT_FALSE(arrivals_.someone_waits());
}

TEST_F(EtcdArrivals, PatienceIsEachOnesOwn) {
  WaitFor(11, 2);
  WaitFor(12, 1);
  EXPECT_EQ(arrivals_.GiveUp(At(minutes(0))), 0U);
  EXPECT_EQ(arrivals_.GiveUp(At(minutes(1))), 1U);
  EXPECT_THAT(Told(), ElementsAre("12 late"));
}

TEST_F(EtcdArrivals, ClosingTellsAllAndThoseWhoComeLater) {
  WaitFor(11, 1);
  arrivals_.Close();
  WaitFor(9, 1);
  EXPECT_THAT(Told(), ElementsAre("11 closing", "9 closing"));
}

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
      {"the same words from somebody who was reached",
       End(kGrpcUnavailable, "failed to connect to all addresses"),
       Kind::kUnanswered,
       kTimeout,
       kServiceUnavailable},
      {"words nobody knows",
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
}  // namespace dray::store::etcd
