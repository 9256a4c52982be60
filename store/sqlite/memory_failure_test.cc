// SPDX-License-Identifier: Apache-2.0
// Allocations fail on the thread that commits: the first, second, … last one, of Dray or of SQLite.
// All answers are true, also after the file is opened again. The store continues, or reports why it
// does not.
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/check.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/testing/failing_memory.h"
#include "store/snapshot.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"
#include "store/sqlite/verify.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Texts;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFolder;

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): SQLite's allocator is global
thread_local int sqlite_allocations_left = -1;
thread_local bool sqlite_has_failed = false;
sqlite3_mem_methods usual_methods{};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

bool SqliteShallFail() {
  if (sqlite_allocations_left < 0) return false;
  if (sqlite_allocations_left-- > 0) return false;
  sqlite_has_failed = true;
  return true;
}

/// Makes SQLite's allocations able to fail from now on.
void TakeOverSqlitesMemory() {
  sqlite3_shutdown();
  if (usual_methods.xMalloc == nullptr) {
    DRAY_CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual_methods) == SQLITE_OK);
  }
  sqlite3_mem_methods methods = usual_methods;
  methods.xMalloc = [](int size) {
    return SqliteShallFail() ? nullptr : usual_methods.xMalloc(size);
  };
  methods.xRealloc = [](void* memory, int size) {
    return SqliteShallFail() ? nullptr : usual_methods.xRealloc(memory, size);
  };
  DRAY_CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
  DRAY_CHECK(sqlite3_initialize() == SQLITE_OK);
}

/// The code whose allocations fail, on the thread that commits.
struct Memory {
  std::string name;
  std::string_view why_not = {};  // why the test is skipped; empty: it is not
  std::function<void(int successes)> fail_after;
  std::function<bool()> take_failed;
};

class SqliteStoreWithoutMemory : public ::testing::TestWithParam<Memory> {
 protected:
  void SetUp() override { TakeOverSqlitesMemory(); }
};

/// Makes upkeep of all kinds always due.
SqliteOptions Restless() {
  return {.recovered_events_max = 8,
          .fold_revisions = 3,
          .compact_revisions = 2,
          .upkeep_work = 2,
          .free_pages_max = 1,
          .checkpoint_pages = 6};
}

struct Attempt {
  std::string name;
  Txn txn;
  std::optional<Txn> next = std::nullopt;  // the step after it
  /// Whether the attempt was carried out, as `texts` of a store show.
  std::function<bool(const std::vector<std::string>& texts)> is_done;
  std::future<Result<CommitOutcome>> outcome{};
};

bool Has(const std::vector<std::string>& texts, const std::string& beginning) {
  for (const std::string& text : texts) {
    if (text.starts_with(beginning)) return true;
  }
  return false;
}

std::vector<Attempt> Workload() {
  std::vector<Attempt> attempts;
  const std::string big(9'000, 'b');
  attempts.push_back({.name = "create", .txn = PutOf("/r/pods/new", big), .is_done = [](auto& all) {
                        return Has(all, "/r/pods/new=");
                      }});
  attempts.push_back({.name = "update", .txn = PutOf("/r/pods/1", "new"), .is_done = [](auto& all) {
                        return Has(all, "/r/pods/1=new@");
                      }});
  attempts.push_back({.name = "delete", .txn = DeleteOf("/r/pods/2"), .is_done = [](auto& all) {
                        return !Has(all, "/r/pods/2=");
                      }});
  Txn both = PutOf("/r/a name that is longer than others/one", "1");
  both.operations.emplace_back(Put{.key = "/r/pods/3", .value = store::testing::Bytes("both")});
  attempts.push_back({.name = "both", .txn = std::move(both), .is_done = [](auto& all) {
                        const bool first = Has(all, "/r/a name that is longer than others/one=");
                        EXPECT_EQ(Has(all, "/r/pods/3=both@"), first) << "half of a transaction";
                        return first;
                      }});
  attempts.push_back({.name = "steps",
                      .txn = PutOf("/r/pods/0", "first"),
                      .next = PutOf("/r/pods/a step of some length", "second"),
                      .is_done = [](auto& all) {
                        const bool first = Has(all, "/r/pods/0=first@");
                        EXPECT_EQ(Has(all, "/r/pods/a step of some length=second@"), first)
                            << "half of the steps";
                        return first;
                      }});
  return attempts;
}

/// Begins two steps, and records the answer. If one failed because of the other, records the
/// other's.
void BeginSteps(Store& store,
                Attempt& attempt,
                const std::shared_ptr<std::promise<Result<CommitOutcome>>>& answer) {
  const auto first = std::make_shared<std::optional<Result<CommitOutcome>>>();
  std::vector<Step> steps(2);
  steps[0] = {.txn = std::move(attempt.txn),
              .done = [first](auto outcome) { first->emplace(std::move(outcome)); }};
  steps[1] = {.txn = std::move(*attempt.next), .done = [first, answer](auto outcome) {
                const bool says_why =
                    outcome.has_value() || outcome.error().reason != StatusReason::kConflict;
                answer->set_value(says_why ? std::move(outcome) : *std::move(*first));
              }};
  store.CommitSteps(std::move(steps));
}

void Begin(Store& store, Attempt& attempt) {
  auto answer = std::make_shared<std::promise<Result<CommitOutcome>>>();
  attempt.outcome = answer->get_future();
  if (attempt.next.has_value()) return BeginSteps(store, attempt, answer);
  store.Commit(std::move(attempt.txn),
               [answer](Result<CommitOutcome> result) { answer->set_value(std::move(result)); });
}

/// Runs `work` on the thread that commits, behind the waiting requests; meanwhile runs `then` here.
void OnCommitThread(Store& store, const std::function<void()>& work, auto then) {
  std::promise<void> reached;
  std::promise<void> released;
  std::promise<void> finished;
  store.Commit(PutOf("/r/other/mark", "m"), [&](const Result<CommitOutcome>&) {
    reached.set_value();
    released.get_future().wait();
    work();
    finished.set_value();
  });
  reached.get_future().wait();
  then();
  released.set_value();
  finished.get_future().wait();
}

std::vector<std::string> StateOf(const Store& store) {
  return Texts(store.Read()->Range({}));
}

/// Compares the answer of each attempt with the store's contents.
void Judge(const std::vector<Attempt>& attempts,
           const std::vector<std::optional<bool>>& reported,
           const std::vector<std::string>& state,
           int successes) {
  for (size_t i = 0; i < attempts.size(); ++i) {
    const bool is_done = attempts[i].is_done(state);
    if (reported[i].has_value())
      EXPECT_EQ(is_done, *reported[i]) << attempts[i].name << ", " << successes;
  }
}

/// The meaning of an answer: done, not done, or unknown.
std::optional<bool> Reported(Result<CommitOutcome> outcome) {
  if (outcome.has_value()) return std::holds_alternative<Committed>(*outcome);
  EXPECT_THAT(outcome.error().reason,
              AnyOf(StatusReason::kServiceUnavailable, StatusReason::kTimeout))
      << outcome.error().message;
  EXPECT_THAT(outcome.error().message, HasSubstr("memory"));
  if (outcome.error().reason == StatusReason::kTimeout) return std::nullopt;
  return false;
}

struct Round {
  bool had_memory = false;
  bool stopped = false;
};

/// One life of a store in which one allocation fails, and the next life of its file.
Round RunWithout(const Memory& memory, int successes) {
  Round round;
  const TestFolder folder;
  std::vector<Attempt> attempts = Workload();
  std::vector<std::optional<bool>> reported;
  {
    auto opened = SqliteStore::Open(folder.path(), {.events_max = 6}, Restless());
    EXPECT_TRUE(opened.has_value());
    SqliteStore& store = **opened;
    for (int i = 0; i < 9; ++i) Do(store, PutOf(fmt::format("/r/pods/{}", i % 4), "old"));
    const auto fail = [&] { memory.fail_after(successes); };
    OnCommitThread(store, fail, [&] {
      for (size_t i = 0; i < 3; ++i) Begin(store, attempts[i]);  // these are one batch
    });
    for (size_t i = 0; i < 3; ++i) reported.push_back(Reported(attempts[i].outcome.get()));
    for (size_t i = 3; i < attempts.size(); ++i) {
      Begin(store, attempts[i]);
      reported.push_back(Reported(attempts[i].outcome.get()));
    }
    const auto look = [&] {
      memory.fail_after(-1);
      round.had_memory = !memory.take_failed();
    };
    OnCommitThread(store, look, [] {});
    const std::string failure = store.status().failure;
    round.stopped = !failure.empty();
    const auto after = store.CommitAndWait(PutOf("/r/pods/after", "a"));
    EXPECT_EQ(after.has_value(), failure.empty()) << successes << ": " << failure;
    if (round.stopped) {
      EXPECT_THAT(failure, AllOf(HasSubstr("takes no more writes"), HasSubstr("memory")));
    } else {
      Judge(attempts, reported, StateOf(store), successes);
    }
  }
  const auto database = OpenToRead(StoreFile(folder.path()), {});
  EXPECT_TRUE(database.has_value());
  EXPECT_THAT(VerifyDatabase(**database).problems, IsEmpty()) << successes;
  const auto again = SqliteStore::Open(folder.path());
  EXPECT_TRUE(again.has_value()) << successes << ": " << again.error().message;
  if (again.has_value()) Judge(attempts, reported, StateOf(**again), successes);
  return round;
}

TEST_P(SqliteStoreWithoutMemory, WhatWasAnsweredIsTrue) {
  if (!GetParam().why_not.empty()) GTEST_SKIP() << GetParam().why_not;
  int rounds = 0;
  int stops = 0;
  for (Round round; !round.had_memory && !HasFatalFailure(); ++rounds) {
    round = RunWithout(GetParam(), rounds);
    stops += round.stopped ? 1 : 0;
    if (round.had_memory) EXPECT_FALSE(round.stopped);
  }
  EXPECT_GT(rounds, 50);
  EXPECT_LT(stops, rounds) << "most failures cost only the request";
}

INSTANTIATE_TEST_SUITE_P(
    ,
    SqliteStoreWithoutMemory,
    ::testing::Values(Memory{.name = "Ours",
                             .why_not = dray::testing::WhyAllocationsSucceed(),
                             .fail_after = dray::testing::FailAllocationAfter,
                             .take_failed = dray::testing::TakeAllocationFailed},
                      Memory{
                          .name = "Sqlites",
                          .fail_after = [](int left) { sqlite_allocations_left = left; },
                          .take_failed = [] { return std::exchange(sqlite_has_failed, false); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dray::store::sqlite
