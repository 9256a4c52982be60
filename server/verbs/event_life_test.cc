// SPDX-License-Identifier: Apache-2.0
// The lifetime of Events (--event-ttl).
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using std::chrono::minutes;
using ::testing::StartsWith;

class EventLifeTest : public testing::ServerTest {
 protected:
  EventLifeTest() : ServerTest(Options{.event_life = minutes(10)}) {
    ResourceRequest request = Request(Verb::kCreate, "v1/events", "default", "");
    request.body =
        std::string(R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p",)"
                    R"("namespace":"default"},"reason":"Seen","type":"Normal"})");
    EXPECT_THAT(Do(std::move(request)), StartsWith("201 "));
  }

  // The answer to a GET after the clock has advanced and the store has expired keys.
  std::string After(std::chrono::nanoseconds passed) {
    world_.clock().Advance(passed);
    EXPECT_TRUE(store_.ExpireDueAndWait(world_.clock().Now(), 1).has_value());
    return Do(Request(Verb::kGet, "v1/events", "default", "e"));
  }
};

TEST_F(EventLifeTest, AnEventIsThereForSoLongAndNoLonger) {
  EXPECT_THAT(After(minutes(10) - std::chrono::nanoseconds(1)), StartsWith("200 "));
  EXPECT_THAT(After(std::chrono::nanoseconds(1)), StartsWith("404 "));
}

TEST_F(EventLifeTest, AWriteGivesItAWholeLifeAgain) {
  EXPECT_THAT(After(minutes(9)), StartsWith("200 "));
  ResourceRequest request = Request(Verb::kPatch, "v1/events", "default", "e");
  request.patch_type = patch::PatchType::kMerge;
  request.body = std::string(R"({"count":2})");
  EXPECT_THAT(Do(std::move(request)), StartsWith("200 "));
  EXPECT_THAT(After(minutes(9)), StartsWith("200 "));
  EXPECT_THAT(After(minutes(1)), StartsWith("404 "));
}

}  // namespace
}  // namespace dray::server::verbs
