// SPDX-License-Identifier: Apache-2.0
// Behaviour that depends on etcd's version, or on answers that Debian's etcd does not give, tested
// with a fake etcd.
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/fake_etcd.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using store::testing::PutOf;
using store::testing::Texts;
using testing::AwaitChange;
using ::testing::ElementsAre;
using testing::FakeEtcd;
using testing::FakeWatch;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LogLines;
using testing::SyncAndWait;

constexpr std::chrono::milliseconds kShort{300};

class EtcdVersion : public ::testing::Test {
 protected:
  std::unique_ptr<EtcdStore> Open(const FakeEtcd& etcd, EtcdOptions options = {}) {
    options.endpoints = {etcd.endpoint()};
    options.dial_backoff_min = options.dial_backoff_max = std::chrono::milliseconds(10);
    return EtcdStore::Open(RealWorld(), lines_.log(), testing::Patient(options)).value();
  }

  LogLines lines_;
};

TEST_F(EtcdVersion, WhereProgressIsReliableItIsAskedForAndOnlyThePrefixIsWatched) {
  FakeEtcd etcd("3.5.13");
  etcd.SetRevision(40);
  const auto store = Open(etcd, {.sync_timeout = std::chrono::minutes(10)});
  const FakeWatch watch = etcd.AwaitWatch(1);
  EXPECT_EQ(watch.key, "/registry/");
  EXPECT_EQ(watch.range_end, "/registry0");
  EXPECT_EQ(watch.start_revision, 41);
  EXPECT_TRUE(watch.progress_notify && watch.prev_kv && watch.fragment && watch.has_leader_asked);
  EXPECT_EQ(SyncAndWait(*store).value(), Revision{40});
  EXPECT_EQ(etcd.progress_requests(), 0U) << "no call has to wait";
  etcd.SetRevision(50);  // changes by other clients, outside the prefix
  EXPECT_EQ(SyncAndWait(*store).value(), Revision{50});
  EXPECT_EQ(store->Read()->revision(), Revision{50});
  EXPECT_EQ(store->EventsAfter(Revision{40}, "", 9)->through, Revision{50});
  EXPECT_GE(etcd.progress_requests(), 1U);
}

TEST_F(EtcdVersion, WhereItIsNotAllKeysAreWatchedAndOnlyEventsCount) {
  FakeEtcd etcd("3.5.12");
  etcd.SetRevision(40);
  const auto store = Open(etcd, {.sync_timeout = kShort});
  const FakeWatch watch = etcd.AwaitWatch(1);
  EXPECT_EQ(watch.key, std::string(1, '\0'));
  EXPECT_EQ(watch.range_end, std::string(1, '\0'));
  etcd.SetRevision(50);
  etcd.Send({});  // progress, too early
  Result<Revision> early = SyncAndWait(*store);
  while (!early.has_value() && early.error().reason == StatusReason::kServiceUnavailable) {
    early =
        SyncAndWait(*store);  // on a busy machine the request itself may not be answered in time
  }
  ASSERT_FALSE(early.has_value());
  EXPECT_EQ(early.error().reason, StatusReason::kTimeout);
  EXPECT_EQ(etcd.progress_requests(), 0U);
  EXPECT_EQ(store->Read()->revision(), Revision{40});
  // The time limit is over, so the store began a new watch.
  EXPECT_EQ(etcd.AwaitWatch(2).start_revision, 41);
}

TEST_F(EtcdVersion, WhereProgressIsNotReliableAnEventElsewhereBringsIt) {
  FakeEtcd etcd("3.5.12");
  etcd.SetRevision(40);
  const auto store = Open(etcd, {.sync_timeout = std::chrono::minutes(10)});
  etcd.AwaitWatch(1);
  etcd.SetRevision(50);
  std::promise<Result<Revision>> synced;
  store->Sync([&](Result<Revision> revision) { synced.set_value(std::move(revision)); });
  etcd.Send({{.key = "elsewhere", .value = "v", .revision = 50}});
  const Result<Revision> revision = synced.get_future().get();
  ASSERT_TRUE(revision.has_value()) << revision.error().message;
  EXPECT_EQ(*revision, Revision{50});
  EXPECT_EQ(store->Read()->size(), 0U);
}

TEST_F(EtcdVersion, AFragmentedAnswerIsOneAnswer) {
  FakeEtcd etcd("3.5.13");
  etcd.SetRevision(10);
  const auto store = Open(etcd);
  etcd.AwaitWatch(1);
  etcd.SetRevision(12);
  etcd.Send({{.key = "/registry/a", .value = "1", .revision = 11}}, true);
  etcd.Send({{.key = "/registry/b", .value = "2", .revision = 11}}, true);
  etcd.Send({{.key = "/registry/c", .value = "3", .revision = 12}});
  AwaitChange(*store, [&] { return store->Read()->revision() == Revision{12}; });
  EXPECT_THAT(
      Texts(*store->EventsAfter(Revision{10}, "", 9)),
      ElementsAre("+/registry/a=1@11/11/1", "+/registry/b=2@11/11/1", "+/registry/c=3@12/12/1"));
}

TEST_F(EtcdVersion, AWatchThatEtcdEndsIsBegunAgain) {
  FakeEtcd etcd("3.5.13");
  etcd.SetRevision(10);
  const auto store = Open(etcd);
  etcd.AwaitWatch(1);
  etcd.Send({{.key = "/registry/a", .value = "1", .revision = 11}});
  AwaitChange(*store, [&] { return store->Read()->revision() == Revision{11}; });
  etcd.SetRevision(11);
  etcd.CancelWatches(0, "for no reason");
  EXPECT_EQ(etcd.AwaitWatch(2).start_revision, 12);
  lines_.Await("for no reason");
  EXPECT_EQ(store->status().floor, Revision{10}) << "nothing was lost";
  etcd.SetRevision(20);
  etcd.CancelWatches(15, "compacted");
  EXPECT_EQ(etcd.AwaitWatch(3).start_revision, 21);
  EXPECT_EQ(store->status().floor, Revision{20});
  EXPECT_THAT(Texts(store->Read()->Range({})), IsEmpty());
}

TEST_F(EtcdVersion, AWatchThatDoesNotFitIsReadAnew) {
  FakeEtcd etcd("3.5.13");
  etcd.SetRevision(10);
  const auto store = Open(etcd);
  etcd.AwaitWatch(1);
  etcd.SetRevision(30);
  etcd.Send({{.key = "/registry/a", .value = "1", .revision = 9}});  // sent twice, or too late
  EXPECT_EQ(etcd.AwaitWatch(2).start_revision, 31);
  lines_.Await("revision 9 came after 10");
  EXPECT_EQ(store->status().floor, Revision{30});
}

TEST_F(EtcdVersion, WhatEtcdRefusesHasNotHappened) {
  constexpr int kUnavailable = 14;
  constexpr int kPermissionDenied = 7;
  FakeEtcd etcd("3.5.13");
  const auto store = Open(etcd);
  etcd.Refuse(kUnavailable, "etcdserver: no leader");
  const auto reason = [&](const Txn& txn) { return store->CommitAndWait(txn).error().reason; };
  EXPECT_EQ(reason(PutOf("/registry/a", "v")), StatusReason::kServiceUnavailable);
  etcd.Refuse(kUnavailable, "etcdserver: request timed out");
  EXPECT_EQ(reason(PutOf("/registry/a", "v")), StatusReason::kTimeout);
  Txn expiring = PutOf("/registry/a", "v");
  std::get<Put>(expiring.operations[0]).expiry = RealWorld().clock.Now();
  EXPECT_EQ(reason(expiring), StatusReason::kServiceUnavailable) << "only a lease was asked for";
  etcd.Refuse(kPermissionDenied, "etcdserver: permission denied");
  EXPECT_EQ(reason(PutOf("/registry/a", "v")), StatusReason::kForbidden);
}

TEST_F(EtcdVersion, ALeaseThatIsNeverFoundIsGivenUp) {
  constexpr int kNotFound = 5;
  FakeEtcd etcd("3.5.13");
  const auto store = Open(etcd);
  etcd.Refuse(kNotFound, "etcdserver: requested lease not found");
  EXPECT_EQ(store->CommitAndWait(PutOf("/registry/a", "v")).error().reason,
            StatusReason::kInternalError);
}

TEST_F(EtcdVersion, AServerOfSomethingElseIsNotAnEtcd) {
  const FakeEtcd other("", FakeEtcd::Services::kNone);
  const auto store = EtcdStore::Open(RealWorld(), Log::Silent(), {.endpoints = {other.endpoint()}});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(store.error().message, HasSubstr(other.endpoint() + " is not an etcd"));
}

}  // namespace
}  // namespace dray::store::etcd
