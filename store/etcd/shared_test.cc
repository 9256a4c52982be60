// SPDX-License-Identifier: Apache-2.0
// Several stores in one etcd: they agree on the state; leases, compaction, and a full database.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/record.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using store::testing::Bytes;
using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::If;
using store::testing::PutOf;
using store::testing::Refused;
using store::testing::Text;
using store::testing::Texts;
using ::testing::AllOf;
using testing::AwaitChange;
using ::testing::ElementsAre;
using testing::EtcdProcess;
using testing::EtcdTest;
using ::testing::HasSubstr;
using testing::LogLines;
using testing::Patient;
using testing::RunProgram;
using ::testing::SizeIs;
using testing::SyncAtLast;
using testing::TcpProxy;

class EtcdShared : public EtcdTest {
 protected:
  void SetUp() override {
    EtcdTest::SetUp();
    if (etcd_ == nullptr) return;
    a_ = Open();
    b_ = Open();
  }
  void TearDown() override {
    a_.reset();
    b_.reset();
  }

  std::unique_ptr<EtcdStore> a_, b_;
};

TEST_F(EtcdShared, WhatOneCommittedTheOtherReadsAtOnce) {
  for (int i = 0; i < 200; ++i) {
    EtcdStore& writer = i % 2 == 0 ? *a_ : *b_;
    EtcdStore& reader = i % 2 == 0 ? *b_ : *a_;
    const Committed committed = Do(writer, PutOf("/registry/pods/a", std::to_string(i)));
    ASSERT_GE(SyncAtLast(reader), committed.revision);
    ASSERT_EQ(reader.Read()->Find("/registry/pods/a")->value->bytes(), std::to_string(i));
  }
}

TEST_F(EtcdShared, AConflictShowsWhatTheOtherWrote) {
  Do(*a_, PutOf("/registry/pods/a", "1"));
  Do(*b_, If("/registry/pods/a", Revision{2}, PutOf("/registry/pods/a", "2")));
  const std::optional<Conflict> conflict =
      Refused(*a_, If("/registry/pods/a", Revision{2}, PutOf("/registry/pods/a", "3")));
  ASSERT_TRUE(conflict.has_value());
  EXPECT_EQ(conflict->revision, Revision{3});
  EXPECT_EQ(Text(*conflict->mismatches.at(0).current), "/registry/pods/a=2@2/3/2");
  EXPECT_GE(a_->Read()->revision(), conflict->revision);
}

/// Takes the next number under one key until `last` has been taken. Only one of the stores that
/// try at the same time can get a number.
void Reserve(Store& store, int last, Mutex& mutex, std::multiset<int>& taken) {
  constexpr std::string_view kKey = "/registry/resourceclaims/default/claim";
  Frozen<Record> current = store.Read()->Get(kKey);
  while (true) {
    const int number = current == nullptr ? 0 : std::stoi(std::string(current->value->bytes()));
    if (number >= last) return;
    const Revision modified = current == nullptr ? kAbsent : current->modified;
    Result<CommitOutcome> outcome =
        store.CommitAndWait(If(kKey, modified, PutOf(kKey, std::to_string(number + 1))));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    if (Conflict* conflict = std::get_if<Conflict>(&*outcome)) {
      current = std::move(conflict->mismatches.at(0).current);
      continue;
    }
    current = std::get<Committed>(*outcome).records.at(0);
    const MutexLock lock(mutex);
    taken.insert(number + 1);
  }
}

TEST_F(EtcdShared, RacingReservationsAreNeitherLostNorGivenTwice) {
  constexpr int kReservations = 10'000;
  Mutex mutex;
  std::multiset<int> taken;
  {
    std::vector<std::jthread> racers;
    for (int i = 0; i < 4; ++i) {
      EtcdStore& store = i % 2 == 0 ? *a_ : *b_;
      racers.emplace_back([&] { Reserve(store, kReservations, mutex, taken); });
    }
  }
  ASSERT_EQ(taken.size(), static_cast<size_t>(kReservations));
  EXPECT_EQ(std::set<int>(taken.begin(), taken.end()).size(), taken.size());
  EXPECT_EQ(*taken.begin(), 1);
  EXPECT_EQ(*taken.rbegin(), kReservations);
  EXPECT_EQ(SyncAtLast(*a_), Revision{1 + kReservations});
  EXPECT_EQ(SyncAtLast(*b_), Revision{1 + kReservations});
}

/// Number of ranges that etcd has answered so far.
int RangesOf(const EtcdProcess& etcd) {
  const std::string metrics =
      RunProgram({"curl", "--silent", etcd.endpoint() + "/metrics"}).value();
  constexpr std::string_view kCounter =
      R"(grpc_server_handled_total{grpc_code="OK",grpc_method="Range",grpc_service="etcdserverpb.KV",grpc_type="unary"} )";
  const size_t at = metrics.find(kCounter);
  return at == std::string::npos ? 0 : std::stoi(metrics.substr(at + kCounter.size()));
}

TEST_F(EtcdShared, ReadersShareTheirQuestions) {
  constexpr int kReaders = 1000;
  TcpProxy proxy(etcd_->port());
  const auto store =
      Open({.endpoints = {proxy.endpoint()}, .sync_timeout = std::chrono::minutes(10)});
  std::atomic<int> answered = 0;
  const Committed committed = Do(*b_, PutOf("/registry/pods/a", "v"));
  const int before = RangesOf(*etcd_);
  proxy.HoldAnswers();
  for (int i = 0; i < kReaders; ++i) {
    store->Sync([&](const Result<Revision>& revision) {
      EXPECT_GE(revision.value(), committed.revision);
      ++answered;
      answered.notify_all();
    });
  }
  proxy.Release();
  for (int seen = 0; seen < kReaders; seen = answered.load()) answered.wait(seen);
  const int asked = RangesOf(*etcd_) - before;
  EXPECT_EQ(asked, 2) << "that of the first, and one for all who came meanwhile";
}

TEST_F(EtcdShared, OwnValuesAreNotDecodedAgain) {
  std::atomic<int> decoded = 0;
  Options options;
  options.read_value = [&](std::string_view /*key*/, std::string_view bytes) {
    ++decoded;
    return MakeBytes(bytes);
  };
  const auto store = Open({}, options);
  const Frozen<Value> value = Bytes("as it was written");
  Do(*store, {.compares = {}, .operations = {Put{.key = "/registry/pods/a", .value = value}}});
  EXPECT_EQ(store->Read()->Find("/registry/pods/a")->value, value);
  EXPECT_EQ(decoded, 0);
  Do(*b_, PutOf("/registry/pods/b", "another's"));
  SyncAtLast(*store);
  EXPECT_EQ(decoded, 1);
}

Txn Expiring(std::string_view key, WallTime expiry) {
  return {.compares = {},
          .operations = {Put{.key = std::string(key), .value = Bytes("e"), .expiry = expiry}}};
}

std::vector<std::string> LeasesOf(const EtcdProcess& etcd) {
  // "found 1 leases\n694d9a3f3e4a5c07\n"
  const std::string text = etcd.Etcdctl({"lease", "list"}).value();
  std::vector<std::string> leases;
  for (size_t at = text.find('\n'); at + 1 < text.size();) {
    const size_t end = text.find('\n', at + 1);
    leases.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return leases;
}

TEST_F(EtcdShared, RecordsGoByThemselves) {
  Do(*a_, PutOf("/registry/events/b", "stays"));
  const WallTime soon = RealWorld().clock.Now() + std::chrono::milliseconds(500);
  Do(*a_, Expiring("/registry/events/a", soon));
  EXPECT_EQ(a_->ExpireDueAndWait(WallTime::max(), 10).value(), 0U);
  AwaitChange(*b_, [&] { return b_->Read()->size() == 1 && b_->Read()->revision() > Revision{3}; });
  EXPECT_GE(RealWorld().clock.Now(), soon) << "not before their time";
  EXPECT_THAT(Texts(*b_->EventsAfter(Revision{3}, "/registry/events/", 9)),
              ElementsAre("-/registry/events/a=e@3/4/1"));
}

TEST_F(EtcdShared, APutWithoutExpiryStays) {
  const WallTime hour = RealWorld().clock.Now() + std::chrono::hours(1);
  Do(*a_, Expiring("/registry/events/kept", hour));
  Do(*a_, Expiring("/registry/events/goes", hour));
  Do(*a_, PutOf("/registry/events/kept", "for ever"));
  const std::vector<std::string> leases = LeasesOf(*etcd_);
  ASSERT_THAT(leases, SizeIs(1));
  ASSERT_TRUE(etcd_->Etcdctl({"lease", "revoke", leases[0]}));  // as if the hour had passed
  AwaitChange(*b_, [&] { return b_->Read()->revision() > Revision{4}; });
  EXPECT_THAT(Texts(b_->Read()->Range({})), ElementsAre("/registry/events/kept=for ever@2/4/2"));
}

TEST_F(EtcdShared, NearExpiriesShareALease) {
  const WallTime hour = RealWorld().clock.Now() + std::chrono::hours(1);
  for (int i = 0; i < 30; ++i) {
    Do(*a_, Expiring("/registry/events/" + std::to_string(i), hour + std::chrono::seconds(i)));
  }
  EXPECT_THAT(LeasesOf(*etcd_), SizeIs(1));
  Do(*a_, Expiring("/registry/events/later", hour + std::chrono::hours(1)));
  EXPECT_THAT(LeasesOf(*etcd_), SizeIs(2));
}

TEST_F(EtcdShared, SeveralExpiriesInOneTransactionHaveALeaseEach) {
  const WallTime hour = RealWorld().clock.Now() + std::chrono::hours(1);
  Txn txn = Expiring("/registry/events/a", hour);
  txn.operations.push_back(
      Expiring("/registry/events/b", hour + std::chrono::hours(5)).operations[0]);
  Do(*a_, std::move(txn));
  EXPECT_THAT(LeasesOf(*etcd_), SizeIs(2));
}

TEST_F(EtcdShared, ALeaseThatIsGoneIsReplaced) {
  const WallTime hour = RealWorld().clock.Now() + std::chrono::hours(1);
  Do(*a_, Expiring("/registry/events/a", hour));
  const std::vector<std::string> leases = LeasesOf(*etcd_);
  ASSERT_THAT(leases, SizeIs(1));
  ASSERT_TRUE(etcd_->Etcdctl({"lease", "revoke", leases[0]}));
  EXPECT_EQ(Do(*a_, Expiring("/registry/events/b", hour)).revision, Revision{4});
  EXPECT_THAT(Texts(a_->Read()->Range({})), ElementsAre("/registry/events/b=e@4/4/1"));
  EXPECT_NE(LeasesOf(*etcd_), leases);
}

TEST_F(EtcdShared, CompactionForgetsForEverybody) {
  for (int i = 0; i < 5; ++i) Do(*a_, PutOf("/registry/pods/a", std::to_string(i)));
  SyncAtLast(*b_);
  ASSERT_TRUE(a_->Compact(Revision{4}).has_value());
  EXPECT_EQ(a_->status().floor, Revision{4});
  EXPECT_EQ(a_->EventsAfter(Revision{3}, "", 9).error().reason, StatusReason::kExpired);
  EXPECT_TRUE(b_->EventsAfter(Revision{3}, "", 9).has_value()) << "what it has seen is true still";
  const Result<std::string> gone = etcd_->Etcdctl({"get", "/registry/pods/a", "--rev=3"});
  ASSERT_FALSE(gone.has_value());
  EXPECT_THAT(gone.error().message, HasSubstr("compacted"));
  EXPECT_TRUE(b_->Compact(Revision{4}).has_value()) << "again is harmless";
  EXPECT_EQ(b_->status().floor, Revision{4});
  EXPECT_EQ(a_->Compact(Revision{7}).error().reason, StatusReason::kTimeout);
}

TEST_F(EtcdShared, OneOfSeveralServersCompacts) {
  SimulatedWorld world(1);
  LogLines lines;
  std::vector<std::unique_ptr<EtcdStore>> stores;
  for (int i = 0; i < 3; ++i) {
    stores.push_back(EtcdStore::Open(world.world(),
                                     lines.log(),
                                     Patient({.endpoints = {etcd_->endpoint()},
                                              .compaction_interval = std::chrono::minutes(5)}))
                         .value());
  }
  const auto version_of_key = [&] {
    const std::string fields =
        etcd_->Etcdctl({"get", "compact_rev_key", "--write-out=fields"}).value();
    const size_t at = fields.find("\"Version\" : ");
    return at == std::string::npos ? 0 : std::stoi(fields.substr(at + 12));
  };
  for (int turn = 1; turn <= 4; ++turn) {
    Do(*a_, PutOf("/registry/pods/a", std::to_string(turn)));
    world.clock().Advance(std::chrono::minutes(5));
    AwaitChange(*a_, [&] { return version_of_key() == turn; });
    // The first turn only notes etcd's revision.
    if (turn > 1) lines.Await("compacted etcd", static_cast<size_t>(turn) - 1);
  }
  EXPECT_EQ(lines.Count("compacted etcd"), 3U) << "once for each turn after the first";
  EXPECT_EQ(version_of_key(), 4);
  EXPECT_THAT(etcd_->Etcdctl({"get", "/registry/pods/a", "--rev=3"}).error().message,
              HasSubstr("compacted"));
  EXPECT_EQ(stores[0]->Read()->size(), 1U) << "the key of compaction is not shown";
  EXPECT_TRUE(a_->EventsAfter(kFirstRevision, "", 9).has_value());
}

TEST(EtcdFull, AFullDatabaseIsSaidAndCanBeMended) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  const auto etcd = EtcdProcess::Start({.flags = {"--quota-backend-bytes=4194304"}}).value();
  const auto store =
      EtcdStore::Open(RealWorld(), Log::Silent(), Patient({.endpoints = {etcd->endpoint()}}))
          .value();
  const std::string large(size_t{256} << 10U, 'v');
  Result<CommitOutcome> outcome = store->CommitAndWait(PutOf("/registry/pods/a", large));
  for (int i = 0; i < 100 && outcome.has_value(); ++i) {
    outcome = store->CommitAndWait(PutOf("/registry/pods/a", large));
  }
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kTimeout) << "it may have been the last that fit";
  EXPECT_THAT(outcome.error().message,
              AllOf(HasSubstr("is full"),
                    HasSubstr("etcdctl alarm disarm"),
                    HasSubstr("database space exceeded")));
  EXPECT_THAT(outcome.error().message, HasSubstr(store->status().failure));
  SyncAtLast(*store);
  const Revision newest = store->Read()->revision();
  EXPECT_EQ(Do(*store, DeleteOf("/registry/pods/a")).revision, Revision{newest.value() + 1})
      << "deletions go through";
  EXPECT_FALSE(store->status().failure.empty());
  ASSERT_TRUE(store->Compact(store->Read()->revision()).has_value());
  ASSERT_TRUE(etcd->Etcdctl({"defrag"}));
  ASSERT_TRUE(etcd->Etcdctl({"alarm", "disarm"}));
  SyncAtLast(*store);
  Do(*store, PutOf("/registry/pods/a", "v"));
  EXPECT_EQ(store->status().failure, "");
}

TEST_F(EtcdShared, AFenceHoldsBetweenServersAndBeyondTheirLives) {
  Do(*b_, PutOf("/registry/pods/x", "1"));
  const Revision seen = SyncAtLast(*a_);
  const Committed first =
      Do(*b_, store::testing::Fenced("d", seen, PutOf("/registry/pods/b", "1")));
  const Txn late = store::testing::Fenced("d", seen, PutOf("/registry/pods/a", "1"));
  EXPECT_TRUE(Refused(*a_, late)->fenced);
  EXPECT_TRUE(Refused(*Open(), late)->fenced);
  EXPECT_EQ(Open()->Read()->size(), 2U) << "a fence is no record";
  Do(*a_, store::testing::Fenced("d", first.revision, PutOf("/registry/pods/a", "1")));
}

TEST_F(EtcdShared, ARequestThatIsTooLargeIsRefusedByItself) {
  const std::string half(kValueBytesMax / 2, 'v');
  Txn txn = PutOf("/registry/pods/a", half);
  txn.operations.push_back(PutOf("/registry/pods/b", half).operations[0]);
  Result<CommitOutcome> outcome = a_->CommitAndWait(txn);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kRequestEntityTooLarge);
  EXPECT_THAT(outcome.error().message, HasSubstr("--max-request-bytes"));
  txn.operations.push_back(PutOf("/registry/pods/c", half).operations[0]);
  outcome = a_->CommitAndWait(txn);
  ASSERT_FALSE(outcome.has_value()) << "more than etcd even reads";
  EXPECT_EQ(outcome.error().reason, StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(SyncAtLast(*a_), kFirstRevision);
}

}  // namespace
}  // namespace dray::store::etcd
