// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/mirror/revision_waiters.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strong.h"
#include "base/world.h"

namespace dray::store::etcd::mirror {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MonotonicTime At(minutes since) {
  return MonotonicTime(since);
}

class EtcdRevisionWaiters : public ::testing::Test {
 protected:
  void WaitFor(int64_t revision, int deadline_minutes) {
    waiters_.WaitFor(
        Revision{revision}, At(minutes(deadline_minutes)), [this, revision](WaitOutcome how) {
          const std::array<std::string_view, 3> names = {"reached", "late", "closing"};
          calls_.push_back(std::to_string(revision) + " " +
                           std::string(names.at(static_cast<size_t>(how))));
        });
  }
  std::vector<std::string> TakeCalls() { return std::exchange(calls_, {}); }

  RevisionWaiters waiters_{Revision{10}};
  std::vector<std::string> calls_;
};

TEST_F(EtcdRevisionWaiters, EachIsCalledOnce) {
  WaitFor(10, 1);
  EXPECT_THAT(TakeCalls(), ElementsAre("10 reached"));
  WaitFor(12, 1);
  WaitFor(11, 1);
  WaitFor(13, 1);
  EXPECT_THAT(TakeCalls(), IsEmpty());
  EXPECT_TRUE(waiters_.someone_waits());
  waiters_.Reach(Revision{12});
  EXPECT_THAT(TakeCalls(), ElementsAre("11 reached", "12 reached"));
  waiters_.Reach(Revision{11});
  EXPECT_EQ(waiters_.reached(), Revision{12}) << "never back";
  EXPECT_EQ(waiters_.ExpireWaits(At(minutes(1))), 1U);
  EXPECT_THAT(TakeCalls(), ElementsAre("13 late"));
  EXPECT_FALSE(waiters_.someone_waits());
}

TEST_F(EtcdRevisionWaiters, EachHasItsOwnDeadline) {
  WaitFor(11, 2);
  WaitFor(12, 1);
  EXPECT_EQ(waiters_.ExpireWaits(At(minutes(0))), 0U);
  EXPECT_EQ(waiters_.ExpireWaits(At(minutes(1))), 1U);
  EXPECT_THAT(TakeCalls(), ElementsAre("12 late"));
}

TEST_F(EtcdRevisionWaiters, ClosingCallsAllAndThoseWhoComeLater) {
  WaitFor(11, 1);
  waiters_.Close();
  WaitFor(9, 1);
  EXPECT_THAT(TakeCalls(), ElementsAre("11 closing", "9 closing"));
}

}  // namespace
}  // namespace dray::store::etcd::mirror
