// SPDX-License-Identifier: Apache-2.0
// A disk that fails at each call in turn. Acknowledged commits survive; other commits survive
// completely or not at all; and the store reports precisely what happened.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
#include "store/memory_store.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/fault_disk.h"
#include "store/sqlite/testing/folder.h"
#include "store/sqlite/verify.h"
#include "store/store.h"
#include "store/testing/conformance.h"

// clang-tidy 19 reports every variable of this file as one that never changes.
// NOLINTBEGIN(misc-const-correctness)
namespace dray::store::sqlite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Call = testing::FaultDisk::Call;
using Fault = testing::FaultDisk::Fault;
using Unsynced = testing::FaultDisk::Unsynced;
using store::testing::Bytes;
using store::testing::Do;
using store::testing::Fenced;
using store::testing::If;
using store::testing::PutOf;
using store::testing::Refused;
using store::testing::Text;
using store::testing::Texts;
using testing::FaultDisk;
using testing::TestFolder;

/// Makes everything happen often: folding, compaction, shrinking, copying the log into the file.
SqliteOptions Restless(const FaultDisk& disk) {
  return {.recovered_events_max = 8,
          .fold_revisions = 3,
          .compact_revisions = 2,
          .upkeep_work = 2,
          .free_pages_max = 1,
          .checkpoint_pages = 6,
          .vfs = disk.vfs()};
}

std::vector<Txn> FaultWorkload() {
  std::vector<Txn> txns;
  const std::string big(20'000, 'b');
  for (int i = 0; i < 18; ++i) {
    const std::string key = "/r/pods/" + std::to_string(i % 5);
    Txn txn = PutOf(key, i % 4 == 0 ? big : std::to_string(i));
    txn.operations.emplace_back(Put{.key = "/r/other", .value = Bytes(std::to_string(i))});
    if (i % 3 == 2) txn.operations[0] = Delete{key};
    txns.push_back(std::move(txn));
  }
  return txns;
}

std::vector<std::string> StateAfterFault(const Store& store) {
  const Frozen<Snapshot> newest = store.Read();
  std::vector<std::string> texts = Texts(newest->Range({}));
  texts.push_back("at " + std::to_string(newest->revision().value()));
  return texts;
}

/// The expected contents of the store after each number of transactions of the workload.
std::vector<std::vector<std::string>> ExpectedStates() {
  MemoryStore model;
  std::vector<std::vector<std::string>> states{StateAfterFault(model)};
  for (Txn& txn : FaultWorkload()) {
    Do(model, std::move(txn));
    states.push_back(StateAfterFault(model));
  }
  return states;
}

std::vector<std::string> ProblemsOn(const FaultDisk& disk, const std::string& folder) {
  const auto database = OpenToRead(StoreFile(folder), {.vfs = disk.vfs()});
  if (!database.has_value()) return {database.error().message};
  // Read all in one transaction, because a store may be writing.
  EXPECT_TRUE((*database)->Execute("BEGIN").has_value());
  EXPECT_TRUE((*database)->QueryNumber("SELECT count(*) FROM meta").has_value());
  return VerifyDatabase(**database).problems;
}

/// One life of a store on a disk: opens it, commits the rest of the workload, one transaction after
/// the other, until something fails, and closes it.
class Life {
 public:
  Life(FaultDisk& disk, const std::string& folder, size_t begin) : committed_(begin) {
    Result<std::unique_ptr<SqliteStore>> store =
        SqliteStore::Open(folder, {.events_max = 6}, Restless(disk));
    if (!store.has_value()) {
      error_ = store.error();
      return;
    }
    state_ = StateAfterFault(**store);
    const std::vector<Txn> txns = FaultWorkload();
    for (; committed_ < txns.size() && !error_.has_value(); ++committed_) {
      Result<CommitOutcome> outcome = (*store)->CommitAndWait(txns[committed_]);
      if (outcome.has_value()) continue;
      error_ = outcome.error();
      break;
    }
    failure_ = (*store)->status().failure;
    last_state_ = StateAfterFault(**store);
    if (error_.has_value()) later_ = (*store)->CommitAndWait(PutOf("later", "v"));
  }

  /// Number of transactions acknowledged, including earlier lives.
  size_t committed() const { return committed_; }
  const std::optional<Error>& error() const { return error_; }
  const std::string& failure() const { return failure_; }
  /// The contents of the store when it was opened, and at the end.
  const std::optional<std::vector<std::string>>& state() const { return state_; }
  const std::vector<std::string>& last_state() const { return last_state_; }
  /// The answer to one more commit after the error.
  const std::optional<Result<CommitOutcome>>& later() const { return later_; }

 private:
  size_t committed_;
  std::optional<Error> error_;
  std::string failure_;
  std::optional<std::vector<std::string>> state_;
  std::vector<std::string> last_state_;
  std::optional<Result<CommitOutcome>> later_;
};

/// Number of calls in a whole life without faults; upkeep makes it vary a little.
uint64_t CallsOfALife() {
  FaultDisk disk;
  const TestFolder folder;
  const Life life(disk, folder.path(), 0);
  EXPECT_EQ(life.committed(), FaultWorkload().size());
  return disk.calls();
}

/// Opens the store after a fault, and checks that nothing acknowledged is lost, nothing is half
/// there, and the rest of the workload succeeds. `committed` transactions were acknowledged; at
/// most one more was in flight.
void ExpectRecovered(FaultDisk& disk, const std::string& folder, size_t committed) {
  static const std::vector<std::vector<std::string>> kExpected = ExpectedStates();
  std::optional<std::vector<std::string>> state;
  {
    const auto store = SqliteStore::Open(folder, {.events_max = 6}, Restless(disk));
    ASSERT_TRUE(store.has_value()) << store.error().message;
    state = StateAfterFault(**store);
    EXPECT_THAT(ProblemsOn(disk, folder), IsEmpty());
  }
  const bool is_before = *state == kExpected[committed];
  const bool is_after = committed + 1 < kExpected.size() && *state == kExpected[committed + 1];
  ASSERT_TRUE(is_before || is_after)
      << committed << " acknowledged, found " << ::testing::PrintToString(*state);
  const Life rest(disk, folder, committed + (is_before ? 0 : 1));
  ASSERT_FALSE(rest.error().has_value()) << rest.error()->message;
  EXPECT_EQ(rest.last_state(), kExpected.back());
  EXPECT_THAT(ProblemsOn(disk, folder), IsEmpty());
}

class SqlitePowerCut : public ::testing::TestWithParam<Unsynced> {};

TEST_P(SqlitePowerCut, AtEachCallLosesNothingAcknowledged) {
  const uint64_t calls = CallsOfALife();
  ASSERT_GT(calls, 100U);
  for (uint64_t at = 0; at < calls + 5 && !::testing::Test::HasFatalFailure(); ++at) {
    SCOPED_TRACE(::testing::Message() << "at call " << at << " of " << calls);
    FaultDisk disk;
    const TestFolder folder;
    disk.SetPlan([at](uint64_t number, Call, const std::string&) {
      if (number < at) return Fault::kNone;
      return at % 2 == 0 ? Fault::kPowerCut : Fault::kTornPowerCut;
    });
    const size_t committed = Life(disk, folder.path(), 0).committed();
    disk.CutPower(GetParam(), at);
    ExpectRecovered(disk, folder.path(), committed);
  }
}

TEST_P(SqlitePowerCut, AgainWhileOpening) {
  const uint64_t calls = CallsOfALife();
  for (uint64_t at = calls / 3; at < calls; at += 7) {
    for (uint64_t again = 0; again < 30; again += 3) {
      SCOPED_TRACE(::testing::Message() << "at call " << at << ", then at " << again);
      FaultDisk disk;
      const TestFolder folder;
      const auto cut_at = [&](uint64_t call) {
        const uint64_t begin = disk.calls();
        disk.SetPlan([begin, call](uint64_t number, Call, const std::string&) {
          return number < begin + call ? Fault::kNone : Fault::kPowerCut;
        });
      };
      cut_at(at);
      const size_t committed = Life(disk, folder.path(), 0).committed();
      disk.CutPower(GetParam(), at);
      size_t opened_with = committed;
      {
        static const std::vector<std::vector<std::string>> kExpected = ExpectedStates();
        cut_at(again);
        const auto store = SqliteStore::Open(folder.path(), {.events_max = 6}, Restless(disk));
        if (store.has_value() && StateAfterFault(**store) != kExpected[committed]) ++opened_with;
      }
      disk.CutPower(GetParam(), again);
      ExpectRecovered(disk, folder.path(), opened_with);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

std::string UnsyncedName(const ::testing::TestParamInfo<Unsynced>& info) {
  switch (info.param) {
    case Unsynced::kLost: return "UnsyncedLost";
    case Unsynced::kKept: return "UnsyncedKept";
    case Unsynced::kSomeOfThem: return "SomeOfThem";
  }
}

INSTANTIATE_TEST_SUITE_P(,
                         SqlitePowerCut,
                         ::testing::Values(Unsynced::kLost, Unsynced::kKept, Unsynced::kSomeOfThem),
                         UnsyncedName);

/// Checks the store after an error: it shows only acknowledged commits, reports the outcome of the
/// commit, and refuses further writes unless the only problem was a full disk.
void ExpectHonest(const Life& life) {
  static const std::vector<std::vector<std::string>> kExpected = ExpectedStates();
  if (!life.error().has_value() || !life.state().has_value()) return;
  EXPECT_EQ(life.last_state(), kExpected[life.committed()]);
  const StatusReason reason = life.error()->reason;
  EXPECT_TRUE(reason == StatusReason::kTimeout || reason == StatusReason::kServiceUnavailable);
  if (reason == StatusReason::kTimeout) {
    EXPECT_THAT(life.error()->message, HasSubstr("it is not known whether this was committed"));
    EXPECT_THAT(life.failure(), HasSubstr("takes no more writes"));
  }
  ASSERT_TRUE(life.later().has_value());
  if (life.failure().empty()) return;
  ASSERT_FALSE(life.later()->has_value());
  EXPECT_EQ(life.later()->error().reason, StatusReason::kServiceUnavailable);
  EXPECT_EQ(life.later()->error().message, life.failure());
}

class SqliteFailingCall : public ::testing::TestWithParam<Fault> {};

TEST_P(SqliteFailingCall, EachInTurnThenOpenedAgainThenThePowerIsCut) {
  const uint64_t calls = CallsOfALife();
  for (uint64_t at = 0; at < calls + 5 && !::testing::Test::HasFatalFailure(); ++at) {
    SCOPED_TRACE(::testing::Message() << "at call " << at << " of " << calls);
    FaultDisk disk;
    const TestFolder folder;
    disk.SetPlan([at](uint64_t number, Call, const std::string&) {
      return number == at ? GetParam() : Fault::kNone;
    });
    const Life life(disk, folder.path(), 0);
    ExpectHonest(life);
    disk.SetPlan(nullptr);
    size_t committed = life.committed();
    if (life.later().has_value() && life.later()->has_value()) {
      // The disk was full for a moment and the store continued, so `later` is a commit like the
      // others.
      EXPECT_EQ(life.failure(), "");
      continue;
    }
    {
      // From here on everything that readers see is on the disk.
      static const std::vector<std::vector<std::string>> kExpected = ExpectedStates();
      const auto store = SqliteStore::Open(folder.path(), {.events_max = 6}, Restless(disk));
      ASSERT_TRUE(store.has_value()) << store.error().message;
      if (StateAfterFault(**store) != kExpected[committed]) ++committed;
      ASSERT_LT(committed, kExpected.size());
      ASSERT_EQ(StateAfterFault(**store), kExpected[committed]);
      disk.SetPlan([](uint64_t, Call, const std::string&) { return Fault::kPowerCut; });
    }
    disk.CutPower(Unsynced::kLost, at);
    ExpectRecovered(disk, folder.path(), committed);
  }
}

std::string FaultName(const ::testing::TestParamInfo<Fault>& info) {
  if (info.param == Fault::kError) return "Error";
  if (info.param == Fault::kTornError) return "TornError";
  return info.param == Fault::kNoSpace ? "NoSpace" : "TornNoSpace";
}

INSTANTIATE_TEST_SUITE_P(
    ,
    SqliteFailingCall,
    ::testing::Values(Fault::kError, Fault::kTornError, Fault::kNoSpace, Fault::kTornNoSpace),
    FaultName);

TEST(SqliteDiskFull, RefusesUntilThereIsRoomAndLosesNothing) {
  FaultDisk disk;
  const TestFolder folder;
  const std::string value(3000, 'v');
  int64_t next = 0;
  {
    const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
    disk.SetRoom(200'000);
    int refused = 0;
    while (refused < 3) {
      const auto outcome = store->CommitAndWait(PutOf(std::to_string(next), value));
      if (outcome.has_value()) {
        ++next;
        continue;
      }
      ++refused;
      EXPECT_EQ(outcome.error().reason, StatusReason::kServiceUnavailable);
      EXPECT_THAT(outcome.error().message, HasSubstr("no space is left"));
      EXPECT_EQ(store->Read()->size(), static_cast<size_t>(next));
    }
    EXPECT_EQ(store->status().failure, "");
    disk.SetRoom(10'000'000);
    EXPECT_EQ(Do(*store, PutOf("room", "again")).revision, Revision{next + 2});
  }
  const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
  EXPECT_EQ(store->Read()->size(), static_cast<size_t>(next + 1));
  EXPECT_THAT(ProblemsOn(disk, folder.path()), IsEmpty());
}

TEST(SqliteDiskFull, KeepsTheFencesOfWhatItHas) {
  FaultDisk disk;
  const TestFolder folder;
  const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
  const Revision decided_on = store->Read()->revision();
  Do(*store, Fenced("device", decided_on, PutOf("a", "holds it")));
  disk.SetRoom(0);  // and the log's file has room for some pages
  EXPECT_FALSE(store->CommitAndWait(PutOf("big", std::string(600'000, 'b'))).has_value());
  disk.SetRoom(10'000'000);
  const auto late = Refused(*store, Fenced("device", decided_on, PutOf("b", "too")));
  ASSERT_TRUE(late.has_value());
  EXPECT_TRUE(late->fenced);
  Do(*store, Fenced("device", store->Read()->revision(), PutOf("b", "after that")));
}

/// Blocks syncs until the test opens it.
class Gate {
 public:
  /// Makes the disk wait at each sync of the write-ahead log.
  void Guard(FaultDisk& disk) {
    disk.SetPlan([this](uint64_t, Call call, const std::string& file) {
      if (call == Call::kSync && file.ends_with("-wal")) Pass();
      return Fault::kNone;
    });
  }

  void WaitUntilClosed(int times) {
    const MutexLock lock(mutex_);
    while (arrived_ < times) changed_.Wait(mutex_);
  }
  void Open(int times) {
    const MutexLock lock(mutex_);
    allowed_ += times;
    changed_.NotifyAll();
  }

 private:
  void Pass() {
    const MutexLock lock(mutex_);
    ++arrived_;
    changed_.NotifyAll();
    while (allowed_ == 0) changed_.Wait(mutex_);
    --allowed_;
  }

  Mutex mutex_;
  Condition changed_;
  int arrived_ DRAY_GUARDED_BY(mutex_) = 0;
  int allowed_ DRAY_GUARDED_BY(mutex_) = 0;
};

std::future<Result<CommitOutcome>> Start(Store& store, Txn txn) {
  auto promise = std::make_shared<std::promise<Result<CommitOutcome>>>();
  store.Commit(std::move(txn), [promise](Result<CommitOutcome> outcome) {
    promise->set_value(std::move(outcome));
  });
  return promise->get_future();
}

bool IsAnswered(const std::future<Result<CommitOutcome>>& answer) {
  return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TEST(SqliteDurability, NothingIsSeenBeforeItIsSynced) {
  FaultDisk disk;
  const TestFolder folder;
  Gate gate;
  const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
  Do(*store, PutOf("warm", "v"));  // a new write-ahead log is synced once more than later
  gate.Guard(disk);
  int wakes = 0;
  const Subscription subscription = *store->Subscribe([&](Revision) { ++wakes; });
  auto first = Start(*store, PutOf("first", "v"));
  gate.WaitUntilClosed(1);
  auto created = Start(*store, If("k", kAbsent, PutOf("k", "v")));
  auto refused = Start(*store, If("k", kAbsent, PutOf("k", "w")));
  EXPECT_FALSE(IsAnswered(first));
  EXPECT_EQ(store->Read()->revision(), Revision{2});
  EXPECT_THAT(store->EventsAfter(Revision{2}, "", 9)->events, IsEmpty());
  gate.Open(1);
  EXPECT_EQ(std::get<Committed>(*first.get()).revision, Revision{3});
  gate.WaitUntilClosed(2);
  EXPECT_FALSE(IsAnswered(created));
  EXPECT_FALSE(IsAnswered(refused)) << "what it would show is not durable yet";
  EXPECT_EQ(store->Read()->revision(), Revision{3});
  gate.Open(100);
  EXPECT_EQ(std::get<Committed>(*created.get()).revision, Revision{4});
  EXPECT_EQ(Text(*std::get<Conflict>(*refused.get()).mismatches.at(0).current), "k=v@4/4/1");
  EXPECT_EQ(wakes, 2);
}

TEST(SqliteDurability, AConflictWithWhatFailedIsNotAnswered) {
  FaultDisk disk;
  const TestFolder folder;
  Gate gate;
  const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
  Do(*store, PutOf("old", "v"));
  gate.Guard(disk);
  auto first = Start(*store, PutOf("first", "v"));
  gate.WaitUntilClosed(1);
  auto early = Start(*store, If("old", kAbsent, PutOf("old", "w")));
  auto created = Start(*store, If("k", kAbsent, PutOf("k", "v")));
  auto late = Start(*store, If("k", kAbsent, PutOf("k", "w")));
  disk.SetPlan([](uint64_t, Call, const std::string&) { return Fault::kError; });
  gate.Open(100);
  EXPECT_TRUE(first.get().has_value());
  EXPECT_TRUE(std::holds_alternative<Conflict>(*early.get())) << "against what is durable";
  EXPECT_EQ(created.get().error().reason, StatusReason::kTimeout);
  EXPECT_EQ(late.get().error().reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(store->status().failure,
              AllOf(HasSubstr("takes no more writes"), HasSubstr("start again")));
  EXPECT_EQ(store->Read()->revision(), Revision{3}) << "reads still succeed";
  EXPECT_TRUE(store->ReadAt(Revision{2}).has_value());
}

TEST(SqliteDurability, AFullQueueRefusesAtOnce) {
  FaultDisk disk;
  const TestFolder folder;
  Gate gate;
  const auto store =
      *SqliteStore::Open(folder.path(), {}, {.queue_count_max = 2, .vfs = disk.vfs()});
  Do(*store, PutOf("warm", "v"));
  gate.Guard(disk);
  auto written = Start(*store, PutOf("a", "v"));
  gate.WaitUntilClosed(1);
  auto second = Start(*store, PutOf("b", "v"));
  auto third = Start(*store, PutOf("c", "v"));
  auto refused = Start(*store, PutOf("d", "v"));
  ASSERT_TRUE(IsAnswered(refused));
  EXPECT_EQ(refused.get().error().reason, StatusReason::kTooManyRequests);
  gate.Open(100);
  EXPECT_TRUE(written.get().has_value() && second.get().has_value() && third.get().has_value());
  EXPECT_EQ(store->Read()->revision(), Revision{5});
}

TEST(SqliteDurability, ClosingCommitsWhatWaits) {
  FaultDisk disk;
  const TestFolder folder;
  std::vector<std::future<Result<CommitOutcome>>> answers;
  {
    const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
    for (int i = 0; i < 50; ++i) answers.push_back(Start(*store, PutOf(std::to_string(i), "v")));
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get().has_value());
  const auto store = *SqliteStore::Open(folder.path(), {}, {.vfs = disk.vfs()});
  EXPECT_EQ(store->Read()->size(), 50U);
}

}  // namespace
}  // namespace dray::store::sqlite
// NOLINTEND(misc-const-correctness)
