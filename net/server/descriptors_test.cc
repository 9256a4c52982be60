// SPDX-License-Identifier: Apache-2.0
#include "net/server/descriptors.h"

#include <cstddef>
#include <utility>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "net/server/options.h"

namespace dray::net::server {
namespace {

TEST(Descriptors, LeaveRoomForWhatIsNoConnection) {
  const std::pair<size_t, size_t> cases[] = {
      {0, 1},
      {1, 1},
      {64, 32},
      {2 * kOtherDescriptors, kOtherDescriptors},
      {1024, 1024 - kOtherDescriptors},
      {kConnectionsMax + kOtherDescriptors - 1, kConnectionsMax - 1},
      {kConnectionsMax + kOtherDescriptors, kConnectionsMax},
      {kDescriptorsMax, kConnectionsMax},
  };
  for (const auto& [descriptors, connections] : cases) {
    EXPECT_EQ(ConnectionsWithin(descriptors), connections) << descriptors;
  }
}

TEST(Descriptors, TheLimitIsRaisedAsFarAsItMay) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(200, before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const size_t raised = RaiseDescriptorLimit();
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(raised, after.rlim_cur);
  EXPECT_EQ(raised, std::min<rlim_t>(before.rlim_max, kDescriptorsMax));
  EXPECT_EQ(RaiseDescriptorLimit(), raised);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Descriptors, StrangersHaveAShare) {
  const std::pair<size_t, size_t> cases[] = {{1, 1},
                                             {7, 1},
                                             {8, 2},
                                             {896, 224},
                                             {4 * kStrangersMax, kStrangersMax},
                                             {10'000, kStrangersMax}};
  for (const auto& [connections, strangers] : cases) {
    EXPECT_EQ(HttpServerOptions{.connections_max = connections}.strangers_max(), strangers);
  }
}

}  // namespace
}  // namespace dray::net::server
