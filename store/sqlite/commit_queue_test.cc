// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/commit_queue.h"

#include <array>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

using ::testing::HasSubstr;
using Wait = CommitQueue::Wait;

std::optional<Error> PushOf(CommitQueue& queue, size_t size) {
  Request request{.what = Txn{}, .size = size};
  return queue.Push(request);
}

std::vector<size_t> Sizes(const std::vector<Request>& batch) {
  std::vector<size_t> sizes;
  for (const Request& request : batch) sizes.push_back(request.size);
  return sizes;
}

TEST(CommitQueue, RefusesOneMoreThanItsCount) {
  const SqliteOptions options{.queue_count_max = 2};
  CommitQueue queue(options);
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  const std::optional<Error> refused = PushOf(queue, 1);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, StatusReason::kTooManyRequests);
  EXPECT_THAT(refused->message, HasSubstr("2 transactions of 2 bytes"));
  EXPECT_EQ(queue.Take(Wait::kForWork).size(), 2U);
  EXPECT_FALSE(PushOf(queue, 1).has_value());
}

TEST(CommitQueue, RefusesOneMoreThanItsBytesButNeverASingleOne) {
  const SqliteOptions options{.queue_bytes_max = 10};
  CommitQueue queue(options);
  EXPECT_FALSE(PushOf(queue, 100).has_value());
  EXPECT_TRUE(PushOf(queue, 1).has_value());
  EXPECT_EQ(queue.Take(Wait::kForWork).size(), 1U);
  EXPECT_FALSE(PushOf(queue, 4).has_value());
  EXPECT_FALSE(PushOf(queue, 6).has_value()) << "at the limit";
  EXPECT_EQ(PushOf(queue, 1)->reason, StatusReason::kTooManyRequests);
}

TEST(CommitQueue, BatchesAreInOrderAndBounded) {
  const SqliteOptions options{.batch_count_max = 3, .batch_bytes_max = 10};
  CommitQueue queue(options);
  constexpr std::array<size_t, 8> kSizes = {1, 2, 3, 4, 5, 6, 11, 1};
  for (const size_t size : kSizes) EXPECT_FALSE(PushOf(queue, size).has_value());
  EXPECT_THAT(Sizes(queue.Take(Wait::kForWork)), ::testing::ElementsAre(1, 2, 3)) << "by count";
  EXPECT_THAT(Sizes(queue.Take(Wait::kForWork)), ::testing::ElementsAre(4, 5)) << "by bytes";
  EXPECT_THAT(Sizes(queue.Take(Wait::kForWork)), ::testing::ElementsAre(6));
  EXPECT_THAT(Sizes(queue.Take(Wait::kForWork)), ::testing::ElementsAre(11)) << "at least one";
  EXPECT_THAT(Sizes(queue.Take(Wait::kForWork)), ::testing::ElementsAre(1));
  EXPECT_THAT(queue.Take(Wait::kNever), ::testing::IsEmpty());
}

TEST(CommitQueue, ClosedItGivesWhatItHasAndTakesNoMore) {
  const SqliteOptions options;
  CommitQueue queue(options);
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  queue.Close();
  const std::optional<Error> refused = PushOf(queue, 1);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, StatusReason::kServiceUnavailable);
  EXPECT_FALSE(queue.is_drained());
  EXPECT_EQ(queue.Take(Wait::kForWork).size(), 1U);
  EXPECT_TRUE(queue.is_drained());
  EXPECT_THAT(queue.Take(Wait::kForWork), ::testing::IsEmpty()) << "and does not wait";
}

TEST(CommitQueue, HeldItWaitsForAllThatComeMeanwhile) {
  const SqliteOptions options;
  CommitQueue queue(options);
  queue.Hold();
  queue.Hold();
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  std::vector<size_t> taken;
  std::jthread other([&] { taken = Sizes(queue.Take(Wait::kForWork)); });
  EXPECT_FALSE(PushOf(queue, 2).has_value());
  queue.Release();
  EXPECT_FALSE(PushOf(queue, 3).has_value()) << "the other thread still holds it";
  queue.Release();
  other.join();
  EXPECT_THAT(taken, ::testing::ElementsAre(1, 2, 3));
}

TEST(CommitQueue, HeldItGivesToWhoDoesNotWait) {
  const SqliteOptions options;
  CommitQueue queue(options);
  queue.Hold();
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  EXPECT_EQ(queue.Take(Wait::kNever).size(), 1U);
  EXPECT_FALSE(PushOf(queue, 2).has_value());
  queue.Close();
  EXPECT_EQ(queue.Take(Wait::kForWork).size(), 1U) << "closed";
  queue.Release();
}

TEST(CommitQueue, AMomentEnds) {
  const SqliteOptions options;
  CommitQueue queue(options);
  EXPECT_THAT(queue.Take(Wait::kForAMoment), ::testing::IsEmpty());
  EXPECT_FALSE(PushOf(queue, 1).has_value());
  EXPECT_EQ(queue.Take(Wait::kForAMoment).size(), 1U);
}

TEST(CommitQueue, ANudgeEndsAWait) {
  const SqliteOptions options;
  CommitQueue queue(options);
  queue.Wake();
  EXPECT_THAT(queue.Take(Wait::kForWork), ::testing::IsEmpty());
  const std::jthread other([&] { queue.Wake(); });
  EXPECT_THAT(queue.Take(Wait::kForWork), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dray::store::sqlite
