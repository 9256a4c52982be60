// SPDX-License-Identifier: Apache-2.0
// Sessions alone, on a pool of workers and in sequences. No thread is started: the store calls back
// when the test calls CallBack, and the pool's work runs in RunOne.
#include "server/storage/write_session.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/try.h"
#include "server/storage/run_sequence.h"
#include "store/forwarding_store.h"
#include "store/memory_store.h"

namespace dray::server::storage {
namespace {

using ::testing::ElementsAre;

/// CallBack answers the commits, as a thread of the store would; steps are committed one by one.
class LateStore final : public store::ForwardingStore {
 public:
  LateStore() : ForwardingStore(store_) {}

  void Commit(store::Txn txn, store::CommitCallback done) override {
    late_.push_back({.txn = std::move(txn), .done = std::move(done)});
  }
  bool takes_steps() const override { return true; }
  void CommitSteps(std::vector<store::Step> steps) override {
    for (store::Step& step : steps) late_.push_back(std::move(step));
  }

  /// Answers all waiting commits and returns their number.
  size_t CallBack() {
    std::vector<store::Step> late = std::exchange(late_, {});
    for (store::Step& step : late) to().Commit(std::move(step.txn), std::move(step.done));
    return late.size();
  }

 private:
  store::MemoryStore store_;
  std::vector<store::Step> late_;
};

store::Txn PutAt(std::string key, Revision seen) {
  store::Txn txn{.compares = {{.key = key, .modified = seen}}};
  txn.operations.emplace_back(
      store::Put{.key = std::move(key), .value = store::ReadAsBytes({}, "v")});
  return txn;
}

Revision ModifiedAt(const store::Snapshot& snapshot, const std::string& key) {
  const store::Record* const record = snapshot.Find(key);
  return record == nullptr ? store::kAbsent : record->modified;
}

/// Something other than the store that a request waits for, such as the network.
class Elsewhere {
 public:
  auto Arrive() {
    return FromCallback<bool>([this](auto done) { waiting_.emplace_back(std::move(done)); });
  }
  size_t waiting() const { return waiting_.size(); }
  void Answer() {
    auto waiting = std::exchange(waiting_, {});
    for (auto& done : waiting) done(true);
  }

 private:
  std::vector<std::move_only_function<void(bool)>> waiting_;
};

class WriteSessionTest : public ::testing::Test {
 protected:
  void Note(std::string what) {
    where_.push_back(std::move(what) + (workers_.in_pool() ? " on a worker" : ""));
  }
  /// A verb that reads, waits for elsewhere_ if `asks`, and writes `key`.
  static Task<Revision> WriteKey(WriteSessionTest* test,
                                 std::string key,
                                 bool asks,
                                 WriteSequence* sequence) {
    WriteSession session(test->store_, {.workers = &test->workers_, .sequence = sequence});
    DRAY_CO_TRY(const Frozen<store::Snapshot> seen, co_await session.ReadNewest());
    test->Note(key + " is read");
    if (asks) {
      co_await test->elsewhere_.Arrive();
      DRAY_CO_TRY_VOID(co_await session.ContinueOnWorker());
      test->Note(key + " was asked about");
    }
    DRAY_CO_TRY(const store::CommitOutcome outcome,
                co_await session.Commit(PutAt(key, ModifiedAt(*seen, key))));
    test->Note(key + " is written");
    if (!std::holds_alternative<store::Committed>(outcome)) co_return Fail(Error());
    co_return std::get<store::Committed>(outcome).revision;
  }
  void Begin(std::string key, bool asks) {
    Start(WriteKey(this, std::move(key), asks, nullptr),
          [this](const Result<Revision>& written) { written_ = written.has_value(); });
  }
  void BeginSequence(std::vector<std::string> keys, bool asks) {
    const size_t count = keys.size();
    auto begin = [this, keys = std::move(keys), asks](size_t i, WriteSequence* sequence) {
      return WriteKey(this, keys[i], asks, sequence);
    };
    Start(
        RunSequence<Revision>(&store_, count, std::move(begin)),
        [this](Result<std::vector<Result<Revision>>> answers) { answers_ = *std::move(answers); });
  }

  LateStore store_;
  WorkerPool workers_{0};
  Elsewhere elsewhere_;
  std::vector<std::string> where_;
  std::optional<bool> written_;
  std::optional<std::vector<Result<Revision>>> answers_;
};

TEST_F(WriteSessionTest, ARequestOfAnyThreadContinuesWhereTheStoreCallsBack) {
  Begin("/a", false);
  EXPECT_EQ(store_.CallBack(), 1U);
  EXPECT_EQ(written_, true);
  EXPECT_THAT(where_, ElementsAre("/a is read", "/a is written"));
}

TEST_F(WriteSessionTest, ARequestOfAWorkerContinuesOnOne) {
  ASSERT_TRUE(workers_.TryPost([this] { Begin("/a", false); }));
  ASSERT_TRUE(workers_.RunOne());
  EXPECT_EQ(store_.CallBack(), 1U);
  EXPECT_EQ(written_, std::nullopt) << "the store's thread does not continue the request";
  ASSERT_TRUE(workers_.RunOne());
  EXPECT_EQ(written_, true);
  EXPECT_THAT(where_, ElementsAre("/a is read on a worker", "/a is written on a worker"));
}

TEST_F(WriteSessionTest, ARequestThatWaitedElsewhereContinuesOnAWorker) {
  Begin("/a", true);
  elsewhere_.Answer();
  ASSERT_TRUE(workers_.RunOne());
  EXPECT_EQ(store_.CallBack(), 1U);
  EXPECT_EQ(written_, std::nullopt) << "the store's thread does not continue the request";
  ASSERT_TRUE(workers_.RunOne());
  EXPECT_THAT(
      where_,
      ElementsAre("/a is read", "/a was asked about on a worker", "/a is written on a worker"));
}

TEST_F(WriteSessionTest, StepsSeeWhatThoseBeforeThemLeave) {
  BeginSequence({"/a", "/a", "/b"}, false);
  EXPECT_EQ(store_.CallBack(), 3U);
  ASSERT_TRUE(answers_.has_value());
  for (const Result<Revision>& answer : *answers_) EXPECT_TRUE(answer.has_value());
}

TEST_F(WriteSessionTest, ASequenceStaysOneWhenItsRequestsChangeThreads) {
  BeginSequence({"/a", "/a"}, true);
  for (int request = 0; request < 2; ++request) {
    EXPECT_EQ(store_.CallBack(), 0U) << "no step is carried out alone";
    EXPECT_EQ(elsewhere_.waiting(), 1U) << "the next one waits for this one's step";
    elsewhere_.Answer();
    ASSERT_TRUE(workers_.RunOne());
  }
  EXPECT_EQ(store_.CallBack(), 2U);
  while (workers_.RunOne()) {
  }
  ASSERT_TRUE(answers_.has_value());
  EXPECT_TRUE((*answers_)[0].has_value());
  EXPECT_EQ((*answers_)[1]->value(), (*answers_)[0]->value() + 1);
  EXPECT_THAT(where_,
              ElementsAre("/a is read",
                          "/a was asked about on a worker",
                          "/a is read on a worker",
                          "/a was asked about on a worker",
                          "/a is written on a worker",
                          "/a is written on a worker"));
}

TEST_F(WriteSessionTest, ASequenceWithoutOneOfItsWritesIsRefused) {
  Task<int> (*const nothing)() = []() -> Task<int> { co_return 1; };
  auto begin = [&](size_t i, WriteSequence* sequence) -> Task<int> {
    if (i == 1) return nothing();
    return [](WriteSessionTest* test, WriteSequence* of) -> Task<int> {
      DRAY_CO_TRY_VOID(co_await WriteKey(test, "/a", false, of));
      co_return 0;
    }(this, sequence);
  };
  const auto answers = Wait(RunSequence<int>(&store_, 2, begin));
  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ((*answers)[0].error().reason, StatusReason::kConflict);
  EXPECT_EQ((*answers)[1].value(), 1);
  EXPECT_EQ(store_.CallBack(), 0U);
  EXPECT_EQ(store_.Read()->Find("/a"), nullptr);
}

}  // namespace
}  // namespace dray::server::storage
