// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/testing/failing_memory.h"

namespace dray {
namespace {

using dray::testing::FailAllocationAfter;

Error Refusal() {
  return {.reason = StatusReason::kConflict,
          .message = "another client has written it since",
          .causes = {{.reason = "FieldValueInvalid", .field = "spec", .message = "no"}}};
}

TEST(ResultOfFailure, HandsItsErrorOn) {
  Result<int> number = Fail(Refusal());
  Result<std::string> text = std::move(number).failure();
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message, Refusal().message);
  EXPECT_EQ(text.error().causes, Refusal().causes);
  number = 3;
  EXPECT_EQ(number, 3);
}

TEST(ResultOfFailure, IsCopiedWithItsError) {
  const Result<> original = Fail(Refusal());
  Result<> copy = original;
  copy.error().message = "changed";
  EXPECT_EQ(original.error().message, Refusal().message);
  copy = original;
  EXPECT_EQ(copy.error().message, Refusal().message);
  copy = Result<>();
  EXPECT_TRUE(copy.has_value());
}

TEST(ResultOfFailure, FitsBesideAPointer) {
  EXPECT_EQ(sizeof(Result<>), 2 * sizeof(void*));
  EXPECT_EQ(sizeof(Result<std::unique_ptr<int>>), 2 * sizeof(void*));
}

TEST(ResultOfFailure, KeepsTheReasonWhereThereIsNoMemory) {
  if (const auto why = dray::testing::WhyAllocationsSucceed(); !why.empty()) GTEST_SKIP() << why;
  Error refusal = Refusal();
  FailAllocationAfter(0);
  Result<> refused = Fail(std::move(refusal));
  EXPECT_TRUE(dray::testing::TakeAllocationFailed());
  EXPECT_EQ(refused.error().reason, StatusReason::kConflict);
  EXPECT_EQ(refused.error().message, "out of memory");
  refused.error().message = "changed, and too long to stand in the object itself";
  const Result<> copy = refused;
  const Error moved = std::move(refused).error();
  EXPECT_EQ(moved.message, "out of memory");
  EXPECT_EQ(copy.error().message, "out of memory");
  EXPECT_EQ(copy.error().reason, StatusReason::kConflict);
}

TEST(ResultOfFailure, IsCopiedAsFarAsThereIsMemory) {
  if (const auto why = dray::testing::WhyAllocationsSucceed(); !why.empty()) GTEST_SKIP() << why;
  const Result<> original = Fail(Refusal());
  for (int successes = 0; successes < 6; ++successes) {
    FailAllocationAfter(successes);
    const Result<> copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
    const bool has_failed = dray::testing::TakeAllocationFailed();
    FailAllocationAfter(-1);
    EXPECT_EQ(copy.error().reason, StatusReason::kConflict);
    EXPECT_EQ(copy.error().message, has_failed ? "out of memory" : Refusal().message);
  }
}

}  // namespace
}  // namespace dray
