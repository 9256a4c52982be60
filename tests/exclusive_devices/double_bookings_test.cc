// SPDX-License-Identifier: Apache-2.0
#include "tests/exclusive_devices/double_bookings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::exclusive_devices {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Judge(const std::vector<Seen>& history) {
  return DoubleBookings(history);
}

TEST(DoubleBookings, AreFoundAtEveryRevision) {
  const Seen a{.revision = Revision{2}, .claim = "a", .devices = {"x", "y"}};
  EXPECT_THAT(Judge({a, {.revision = Revision{3}, .claim = "b", .devices = {"z"}}}), IsEmpty());
  EXPECT_THAT(Judge({a, {.revision = Revision{3}, .claim = "b", .devices = {"z", "y"}}}),
              ElementsAre("revision 3: y of b is a's"));
  EXPECT_THAT(Judge({a,
                     {.revision = Revision{3}, .claim = "b", .devices = {"y"}},
                     {.revision = Revision{4}, .claim = "b"},
                     {.revision = Revision{5}, .claim = "a"}}),
              ElementsAre("revision 3: y of b is a's"))
      << "also when it is over at the end";
}

TEST(DoubleBookings, ADeviceThatWasFreedMayBeGivenAgain) {
  EXPECT_THAT(Judge({{.revision = Revision{2}, .claim = "a", .devices = {"x"}},
                     {.revision = Revision{3}, .claim = "a", .devices = {"x"}},
                     {.revision = Revision{4}, .claim = "a"},
                     {.revision = Revision{5}, .claim = "b", .devices = {"x"}}}),
              IsEmpty());
  EXPECT_THAT(Judge({{.revision = Revision{2}, .claim = "a", .devices = {"x"}},
                     {.revision = Revision{3}, .claim = "b", .devices = {"x"}},
                     {.revision = Revision{3}, .claim = "a"}}),
              IsEmpty())
      << "in one revision";
}

}  // namespace
}  // namespace dray::exclusive_devices
