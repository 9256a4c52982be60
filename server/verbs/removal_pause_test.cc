// SPDX-License-Identifier: Apache-2.0
// Options::removal_pause: a DELETE that marks an object lets clients see it before it is removed.
#include <functional>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/task.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Keeps the request that pauses until the test resumes it.
struct PausedRemoval : testing::ServerTest {
  PausedRemoval()
      : ServerTest(Options{.removal_pause = [this](std::function<void(Result<>)> resume) {
          resume_ = std::move(resume);
        }}) {}

  std::function<void(Result<>)> resume_;
};

TEST_F(PausedRemoval, ShowsTheMarkedPodFirst) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  std::optional<Result<Answer>> answer;
  Start(resources_.Handle(Request(Verb::kDelete, "pods", "default", "p")),
        [&](Result<Answer> done) { answer.emplace(std::move(done)); });
  ASSERT_TRUE(resume_);
  EXPECT_FALSE(answer.has_value());
  EXPECT_THAT(Read("pods", "default", "p"), HasSubstr("deletionTimestamp"));
  resume_({});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->has_value());
  EXPECT_THAT(Read("pods", "default", "p"), StartsWith("404 "));
}

TEST_F(PausedRemoval, IsLeftOutWhereNothingIsMarked) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  EXPECT_THAT(Delete("deviceclasses", "", "a"), StartsWith("200 "));
  EXPECT_FALSE(resume_);
}

}  // namespace
}  // namespace dray::server::verbs
