// SPDX-License-Identifier: Apache-2.0
// Steps of CommitSteps: all or none, each with its revision, durable together.
#include <chrono>
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

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/memory_store.h"
#include "store/sqlite/commit_queue.h"
#include "store/sqlite/options.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::Fenced;
using store::testing::If;
using store::testing::PutOf;
using store::testing::Texts;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kSoon{std::chrono::seconds(5)};

/// The text of a step's answer: "@revision", "conflict", "fenced", or an error's reason.
std::string Text(const Result<CommitOutcome>& outcome) {
  if (!outcome.has_value()) return std::string(ReasonName(outcome.error().reason));
  if (const auto* conflict = std::get_if<Conflict>(&*outcome)) {
    return conflict->fenced ? "fenced" : "conflict";
  }
  return "@" + std::to_string(std::get<Committed>(*outcome).revision.value());
}

std::vector<std::string> CommitSteps(Store& store, std::vector<Txn> txns) {
  std::vector<std::future<Result<CommitOutcome>>> outcomes;
  std::vector<Step> steps;
  for (Txn& txn : txns) {
    std::promise<Result<CommitOutcome>> answer;
    outcomes.push_back(answer.get_future());
    steps.push_back(
        {.txn = std::move(txn), .done = [answer = std::move(answer)](auto outcome) mutable {
           answer.set_value(std::move(outcome));
         }});
  }
  store.CommitSteps(std::move(steps));
  std::vector<std::string> texts;
  texts.reserve(outcomes.size());
  for (auto& outcome : outcomes) texts.push_back(Text(outcome.get()));
  return texts;
}

class Steps : public ::testing::Test {
 protected:
  void Open(const Options& options = {}) {
    store_.reset();
    store_ = SqliteStore::Open(folder_.path(), options).value();
  }
  std::vector<std::string> Stored() { return Texts(store_->Read()->Range({})); }

  const testing::TestFolder folder_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(Steps, HaveRevisionsOfTheirOwnAndAreDurable) {
  Open();
  EXPECT_TRUE(store_->takes_steps());
  const Committed first = Do(*store_, PutOf("/a", "1"));
  EXPECT_THAT(CommitSteps(*store_,
                          {If("/a", first.revision, PutOf("/a", "2")),
                           PutOf("/a", "3"),
                           If("/b", kAbsent, PutOf("/b", "1"))}),
              ElementsAre("@3", "@4", "@5"));
  const std::vector<std::string> expected = {"/a=3@2/4/3", "/b=1@5/5/1"};
  EXPECT_EQ(Stored(), expected);
  EXPECT_THAT(Texts(store_->EventsAfter(Revision{2}, "/", 10).value()),
              ElementsAre("~/a=2@2/3/2", "~/a=3@2/4/3", "+/b=1@5/5/1"));
  Open();
  EXPECT_EQ(Stored(), expected);
}

TEST_F(Steps, AreAllCarriedOutOrNone) {
  Open({.live_bytes_max = 64});
  Do(*store_, PutOf("/a", "1"));
  Do(*store_, Fenced("f", Revision{2}, PutOf("/f", "1")));
  Do(*store_, {.operations = {Put{.key = "/e", .value = MakeBytes("1"), .expiry = kSoon}}});
  const std::vector<std::string> before = Stored();
  const struct {
    std::string_view of_what;
    std::vector<Txn> txns;
    std::vector<std::string> answers;
  } cases[] = {
      {"last", {PutOf("/b", "1"), If("/a", kAbsent, PutOf("/a", "2"))}, {"Conflict", "conflict"}},
      {"first", {If("/a", kAbsent, PutOf("/a", "2")), PutOf("/b", "1")}, {"conflict", "Conflict"}},
      {"one that saw too little",
       {PutOf("/b", "1"), Fenced("f", Revision{2}, PutOf("/c", "1"))},
       {"Conflict", "fenced"}},
      {"two about the same",
       {Fenced("g", Revision{4}, PutOf("/b", "1")), Fenced("g", Revision{4}, PutOf("/c", "1"))},
       {"Conflict", "fenced"}},
      {"what another one wrote",
       {PutOf("/b", "1"), If("/b", kAbsent, PutOf("/b", "2"))},
       {"Conflict", "BadRequest"}},
      {"too much",
       {PutOf("/b", "1"), PutOf("/c", std::string(64, 'c'))},
       {"Conflict", "TooManyRequests"}},
      {"what expires", {PutOf("/b", "1"), DeleteOf("/e")}, {"Conflict", "BadRequest"}},
      {"malformed", {PutOf("/b", "1"), PutOf("", "2")}, {"BadRequest", "BadRequest"}},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(CommitSteps(*store_, one.txns), one.answers) << one.of_what;
    EXPECT_EQ(Stored(), before) << one.of_what;
  }
  // No revision was used, and the steps that did not happen left no fence.
  EXPECT_EQ(Do(*store_, Fenced("g", Revision{4}, PutOf("/b", "1"))).revision, Revision{5});
  EXPECT_EQ(store_->status().next_expiry, kSoon);
}

TEST_F(Steps, AreNotMoreThanTheLimit) {
  Open();
  const auto some = [](size_t count) {
    std::vector<Txn> txns;
    for (size_t i = 0; i < count; ++i) txns.push_back(PutOf("/" + std::to_string(i), "1"));
    return txns;
  };
  EXPECT_THAT(CommitSteps(*store_, some(kStepsMax + 1)), Each("RequestEntityTooLarge"));
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(CommitSteps(*store_, some(kStepsMax)).back(), "@" + std::to_string(kStepsMax + 1));
  EXPECT_THAT(CommitSteps(*store_, {}), IsEmpty());
}

TEST_F(Steps, OfAStoreThatHasNone) {
  MemoryStore store;
  EXPECT_FALSE(store.takes_steps());
  EXPECT_THAT(CommitSteps(store, {PutOf("/a", "1")}), ElementsAre("MethodNotAllowed"));
}

TEST(CommitQueue, StepsStayTogether) {
  const SqliteOptions options{.queue_count_max = 4, .batch_count_max = 2, .batch_bytes_max = 8};
  CommitQueue queue(options);
  const auto push = [&](size_t count, size_t size) {
    std::vector<Request> requests(count);
    for (size_t i = 0; i < count; ++i) {
      requests[i] = {.what = Txn{}, .size = size, .steps_after = count - 1 - i};
    }
    return queue.Push(requests);
  };
  EXPECT_FALSE(push(1, 1).has_value());
  EXPECT_FALSE(push(3, 3).has_value());
  EXPECT_TRUE(push(1, 1).has_value()) << "full";
  EXPECT_EQ(queue.Take(CommitQueue::Wait::kForWork).size(), 4U) << "more than fit into a batch";
  EXPECT_FALSE(push(1, 1).has_value());
  EXPECT_TRUE(push(4, 1).has_value()) << "none of those that do not all fit";
  EXPECT_FALSE(push(1, 7).has_value());
  EXPECT_FALSE(push(2, 1).has_value());
  EXPECT_EQ(queue.Take(CommitQueue::Wait::kForWork).size(), 2U);
  EXPECT_EQ(queue.Take(CommitQueue::Wait::kForWork).size(), 2U);
}

}  // namespace
}  // namespace dray::store::sqlite
