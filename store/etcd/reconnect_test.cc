// SPDX-License-Identifier: Apache-2.0
// Failures between a store and its etcd, as users of the store see them.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using std::chrono::milliseconds;
using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Texts;
using testing::AwaitChange;
using ::testing::ElementsAre;
using testing::EtcdProcess;
using testing::EtcdTest;
using ::testing::HasSubstr;
using testing::kGoesOn;
using testing::kReadAnew;
using testing::SyncAndWait;
using testing::SyncAtLast;
using testing::TcpProxy;

/// Short times for noticing a failure and trying again.
constexpr milliseconds kReconnectSoon{300};

class EtcdReconnect : public EtcdTest {
 protected:
  void SetUp() override {
    EtcdTest::SetUp();
    if (etcd_ != nullptr) proxy_ = std::make_unique<TcpProxy>(etcd_->port());
  }
  void TearDown() override {
    store_.reset();
    other_.reset();
  }

  /// Opens one store behind the proxy, and another one that is connected directly.
  void OpenBoth(EtcdOptions etcd_options = {}, const Options& options = {}) {
    etcd_options.endpoints = {proxy_->endpoint()};
    etcd_options.dial_backoff_min = milliseconds(10);
    etcd_options.dial_backoff_max = milliseconds(50);
    store_ = Open(etcd_options, options);
    other_ = Open();
  }

  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<EtcdStore> store_;
  std::unique_ptr<EtcdStore> other_;
};

std::string Key(int64_t number) {
  return "/registry/pods/" + std::to_string(number);
}

/// The values of all events after `after`, each revision once and in order.
std::vector<std::string> ValuesAfter(Store& store, Revision after) {
  std::vector<std::string> values;
  while (after < store.Read()->revision()) {
    const Batch batch = store.EventsAfter(after, "/registry/", 100).value();
    for (const Frozen<Event>& event : batch.events) {
      EXPECT_GT(event->revision(), after);
      after = event->revision();
      values.emplace_back(event->record->value->bytes());
    }
    after = batch.through;
  }
  return values;
}

std::vector<std::string> Numbers(int64_t from, int64_t to) {
  std::vector<std::string> numbers;
  for (; from <= to; ++from) numbers.push_back(std::to_string(from));
  return numbers;
}

TEST_F(EtcdReconnect, NothingIsMissedOrRepeatedAcrossCuts) {
  OpenBoth();
  int64_t written = 0;
  for (int cut = 0; cut < 5; ++cut) {
    for (int i = 0; i < 20; ++i, ++written) {
      Do(*other_, PutOf(Key(written % 7), std::to_string(written)));
      if (i == 10) proxy_->Cut();
    }
  }
  SyncAtLast(*store_);
  EXPECT_EQ(ValuesAfter(*store_, kFirstRevision), Numbers(0, written - 1));
  EXPECT_EQ(lines_.Count(kReadAnew), 0U);
  EXPECT_EQ(store_->status().floor, kFirstRevision);
}

TEST_F(EtcdReconnect, WhatHappensMeanwhileIsMadeUpFor) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "0"));
  proxy_->Refuse();
  const std::string large(size_t{600} << 10U, 'v');  // more than etcd sends in one answer
  for (int i = 1; i <= 6; ++i) Do(*other_, PutOf(Key(i), large));
  Do(*other_, DeleteOf(Key(3)));
  EXPECT_EQ(SyncAndWait(*store_).error().reason, StatusReason::kServiceUnavailable);
  EXPECT_EQ(store_->Read()->revision(), Revision{2}) << "reads serve the known state";
  proxy_->Allow();
  EXPECT_EQ(SyncAtLast(*store_), Revision{9});
  EXPECT_EQ(store_->Read()->size(), 6U);
  EXPECT_EQ(store_->EventsAfter(Revision{2}, "", 99)->events.size(), 7U);
  EXPECT_EQ(lines_.Count(kReadAnew), 0U);
}

TEST_F(EtcdReconnect, AKilledEtcdIsWaitedFor) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "0"));
  for (int i = 1; i <= 3; ++i) {
    etcd_->Kill();
    ASSERT_TRUE(etcd_->Restart().has_value()) << etcd_->log();
    SyncAtLast(*store_);
    SyncAtLast(*other_);
    Do(*store_, PutOf(Key(0), std::to_string(i)));
  }
  EXPECT_EQ(SyncAtLast(*other_), Revision{5});
  EXPECT_EQ(ValuesAfter(*store_, kFirstRevision), Numbers(0, 3));
  EXPECT_EQ(ValuesAfter(*other_, kFirstRevision), Numbers(0, 3));
}

TEST_F(EtcdReconnect, HistoryThatWasCompactedIsExpiredNotMadeUp) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "before"));
  Do(*store_, PutOf(Key(1), "goes"));
  proxy_->Refuse();
  Do(*other_, DeleteOf(Key(1)));
  Do(*other_, PutOf(Key(0), "unseen"));
  Do(*other_, PutOf(Key(0), "after"));
  ASSERT_TRUE(other_->Compact(Revision{6}).has_value());
  proxy_->Allow();
  lines_.Await(kReadAnew);
  EXPECT_EQ(SyncAtLast(*store_), Revision{6});
  EXPECT_THAT(Texts(store_->Read()->Range({})), ElementsAre("/registry/pods/0=after@2/6/3"));
  for (const int64_t before : {2, 3, 5}) {
    EXPECT_EQ(store_->EventsAfter(Revision{before}, "", 9).error().reason, StatusReason::kExpired);
    EXPECT_EQ(store_->ReadAt(Revision{before}).error().reason, StatusReason::kExpired);
  }
  EXPECT_EQ(store_->status().floor, Revision{6});
  Do(*store_, PutOf(Key(2), "on"));
  EXPECT_THAT(Texts(*store_->EventsAfter(Revision{6}, "", 9)),
              ElementsAre("+/registry/pods/2=on@7/7/1"));
}

TEST_F(EtcdReconnect, AWatcherIsWokenWhenItsHistoryIsLost) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "before"));
  proxy_->Refuse();
  Do(*other_, PutOf(Key(0), "unseen"));
  Do(*other_, PutOf(Key(0), "after"));
  ASSERT_TRUE(other_->Compact(Revision{4}).has_value());
  proxy_->Allow();
  AwaitChange(*store_, [&] { return !store_->EventsAfter(Revision{2}, "", 9).has_value(); });
  EXPECT_EQ(store_->Read()->revision(), Revision{4});
}

TEST_F(EtcdReconnect, AnotherEndpointTakesOver) {
  TcpProxy second(etcd_->port());
  const auto store = Open({.endpoints = {proxy_->endpoint(), second.endpoint()},
                           .dial_backoff_min = milliseconds(10),
                           .dial_backoff_max = milliseconds(50)});
  for (int64_t i = 0; i < 6; ++i) {
    TcpProxy& falls = i % 2 == 0 ? *proxy_ : second;
    TcpProxy& stands = i % 2 == 0 ? second : *proxy_;
    stands.Allow();
    falls.Refuse();
    SyncAtLast(*store);
    const Committed committed = Do(*store, PutOf(Key(0), std::to_string(i)));
    EXPECT_EQ(committed.revision, Revision{2 + i});
  }
  EXPECT_EQ(ValuesAfter(*store, kFirstRevision), Numbers(0, 5));
}

TEST_F(EtcdReconnect, TheStatusSaysThatEtcdCannotBeReached) {
  OpenBoth();
  EXPECT_EQ(store_->status().failure, "");
  proxy_->Refuse();
  while (store_->status().failure.empty()) EXPECT_FALSE(SyncAndWait(*store_).has_value());
  EXPECT_THAT(store_->status().failure, HasSubstr("no process listens there"));
  proxy_->Allow();
  lines_.Await(kGoesOn);
  EXPECT_EQ(store_->status().failure, "");
}

TEST_F(EtcdReconnect, WhatWasNotSentIsNotCarriedOut) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "0"));
  proxy_->Refuse();
  // A connection that breaks just then would leave the outcome unknown.
  ASSERT_EQ(SyncAndWait(*store_).error().reason, StatusReason::kServiceUnavailable);
  const Result<CommitOutcome> outcome = store_->CommitAndWait(PutOf(Key(0), "lost"));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr(proxy_->endpoint()));
  EXPECT_EQ(SyncAtLast(*other_), Revision{2});
}

TEST_F(EtcdReconnect, AnAnswerThatIsLostLeavesTheOutcomeUnknown) {
  OpenBoth();
  Do(*store_, PutOf(Key(0), "0"));
  proxy_->HoldAnswers();
  std::promise<Result<CommitOutcome>> answer;
  store_->Commit(PutOf(Key(0), "carried out"),
                 [&](Result<CommitOutcome> outcome) { answer.set_value(std::move(outcome)); });
  AwaitChange(*other_, [&] { return other_->Read()->revision() == Revision{3}; });
  proxy_->Cut();
  proxy_->Release();
  const Result<CommitOutcome> outcome = answer.get_future().get();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, StatusReason::kTimeout);
  EXPECT_THAT(outcome.error().message, HasSubstr("not known"));
  EXPECT_EQ(SyncAtLast(*store_), Revision{3}) << "once, not twice";
  EXPECT_EQ(store_->Read()->Find(Key(0))->value->bytes(), "carried out");
}

TEST_F(EtcdReconnect, NoAnswerInTimeLeavesTheOutcomeUnknown) {
  OpenBoth({.commit_timeout = kReconnectSoon});
  proxy_->HoldAnswers();
  Revision seen = kFirstRevision;
  while (seen == kFirstRevision) {  // a busy machine may need all the time before the call is sent
    const Result<CommitOutcome> outcome = store_->CommitAndWait(PutOf(Key(0), "carried out"));
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().reason, StatusReason::kTimeout) << outcome.error().message;
    seen = SyncAtLast(*other_);
  }
  proxy_->Release();
  EXPECT_GE(SyncAtLast(*store_), seen);
}

TEST_F(EtcdReconnect, AStoppedEtcdTimesOutAndGoesOn) {
  OpenBoth({.commit_timeout = kReconnectSoon, .sync_timeout = kReconnectSoon});
  Do(*other_, PutOf(Key(0), "0"));
  EXPECT_EQ(SyncAtLast(*store_), Revision{2});
  etcd_->Pause();
  EXPECT_EQ(store_->CommitAndWait(PutOf(Key(0), "?")).error().reason, StatusReason::kTimeout);
  EXPECT_EQ(SyncAndWait(*store_).error().reason, StatusReason::kServiceUnavailable);
  EXPECT_EQ(store_->Read()->revision(), Revision{2});
  etcd_->Resume();
  // The transaction that was not answered may be carried out now, later, or never.
  const Revision seen = SyncAtLast(*other_);
  EXPECT_GE(seen, Revision{2});
  EXPECT_GE(SyncAtLast(*store_), seen);
}

TEST_F(EtcdReconnect, WhatASilentWatchDoesNotBringIsNotThere) {
  OpenBoth({.sync_timeout = kReconnectSoon});
  Do(*store_, PutOf(Key(0), "0"));
  ASSERT_EQ(proxy_->connections(), 2U) << "one for calls, one for watches";
  proxy_->HoldConnection(1);
  Do(*other_, PutOf(Key(0), "1"));
  Result<Revision> synced = SyncAndWait(*store_);
  while (!synced.has_value() && synced.error().reason == StatusReason::kServiceUnavailable) {
    synced = SyncAndWait(*store_);  // on a busy machine etcd itself may not answer in time
  }
  ASSERT_FALSE(synced.has_value());
  EXPECT_EQ(synced.error().reason, StatusReason::kTimeout);
  EXPECT_THAT(synced.error().message, HasSubstr("revision 3"));
  EXPECT_EQ(store_->Read()->revision(), Revision{2});
}

TEST_F(EtcdReconnect, AWatchThatFallsSilentIsReplaced) {
  OpenBoth({.sync_timeout = kReconnectSoon,
            .keepalive_time = milliseconds(1000),
            .keepalive_timeout = milliseconds(200)});
  Do(*store_, PutOf(Key(0), "0"));
  proxy_->HoldConnection(1);
  Do(*other_, PutOf(Key(0), "1"));
  EXPECT_EQ(SyncAtLast(*store_), Revision{3}) << "a quiet connection is tried, and given up";
  EXPECT_EQ(ValuesAfter(*store_, kFirstRevision), Numbers(0, 1));
}

TEST_F(EtcdReconnect, AnotherClusterIsNotMistakenForThisOne) {
  OpenBoth();
  const auto stranger = EtcdProcess::Start({}).value();
  Do(*store_, PutOf(Key(0), "0"));
  proxy_->Redirect(stranger->port());
  proxy_->Cut();
  lines_.Await("the store has stopped");
  EXPECT_THAT(store_->status().failure, HasSubstr("is another cluster"));
  const Result<CommitOutcome> outcome = store_->CommitAndWait(PutOf(Key(0), "elsewhere"));
  EXPECT_EQ(outcome.error().reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("is another cluster"));
  EXPECT_EQ(SyncAndWait(*store_).error().reason, StatusReason::kServiceUnavailable);
  EXPECT_EQ(store_->Read()->Find(Key(0))->value->bytes(), "0");
  EXPECT_EQ(stranger->Etcdctl({"get", "", "--prefix", "--keys-only"}).value(), "");
}

TEST_F(EtcdReconnect, AnEtcdThatWentBackIsNotFollowed) {
  OpenBoth();
  for (int i = 0; i < 3; ++i) Do(*store_, PutOf(Key(i), "0"));
  ASSERT_EQ(SyncAtLast(*other_), Revision{4});
  etcd_->Kill();
  ASSERT_TRUE(etcd_->RestartEmpty().has_value()) << etcd_->log();
  lines_.Await("the store has stopped", 2);
  EXPECT_THAT(store_->status().failure, HasSubstr("went back to an older state"));
  EXPECT_EQ(store_->CommitAndWait(PutOf(Key(0), "x")).error().reason,
            StatusReason::kServiceUnavailable);
  EXPECT_EQ(store_->Read()->revision(), Revision{4});
}

TEST_F(EtcdReconnect, ClosingAnswersWhatIsUnderWay) {
  OpenBoth();
  proxy_->HoldAnswers();
  std::promise<StatusReason> answer;
  std::promise<StatusReason> synced;
  store_->Commit(PutOf(Key(0), "?"), [&](const Result<CommitOutcome>& outcome) {
    answer.set_value(outcome.has_value() ? StatusReason::kUnknown : outcome.error().reason);
  });
  store_->Sync([&](const Result<Revision>& revision) {
    synced.set_value(revision.has_value() ? StatusReason::kUnknown : revision.error().reason);
  });
  AwaitChange(*other_, [&] { return other_->Read()->revision() == Revision{2}; });
  store_.reset();
  EXPECT_EQ(answer.get_future().get(), StatusReason::kTimeout);
  EXPECT_EQ(synced.get_future().get(), StatusReason::kServiceUnavailable);
}

TEST_F(EtcdReconnect, WhatWaitsHasAMost) {
  OpenBoth({.commits_in_flight_max = 2, .syncs_waiting_max = 2});
  proxy_->HoldAnswers();
  std::vector<std::future<StatusReason>> commits;
  std::vector<std::future<StatusReason>> syncs;
  for (int i = 0; i < 3; ++i) {
    auto commit = std::make_shared<std::promise<StatusReason>>();
    commits.push_back(commit->get_future());
    store_->Commit(PutOf(Key(i), "v"), [commit](const Result<CommitOutcome>& outcome) {
      commit->set_value(outcome.has_value() ? StatusReason::kUnknown : outcome.error().reason);
    });
    auto sync = std::make_shared<std::promise<StatusReason>>();
    syncs.push_back(sync->get_future());
    store_->Sync([sync](const Result<Revision>& revision) {
      sync->set_value(revision.has_value() ? StatusReason::kUnknown : revision.error().reason);
    });
  }
  EXPECT_EQ(commits[2].get(), StatusReason::kTooManyRequests);
  EXPECT_EQ(syncs[2].get(), StatusReason::kTooManyRequests);
  proxy_->Release();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(commits[static_cast<size_t>(i)].get(), StatusReason::kUnknown) << "at the limit";
    EXPECT_EQ(syncs[static_cast<size_t>(i)].get(), StatusReason::kUnknown) << "at the limit";
  }
  Do(*store_, PutOf(Key(2), "v"));
}

}  // namespace
}  // namespace dray::store::etcd
