// SPDX-License-Identifier: Apache-2.0
// No rule in the cluster keeps a server from starting.
#include "server/verbs/context/own_writes.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/task.h"
#include "server/testing/fixture.h"
#include "server/verbs/resources.h"

namespace dray::server::verbs::inline context {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(OwnWrites, AreToldUntilTheyAreMade) {
  OwnWrites writes;
  EXPECT_TRUE(writes.all_made());
  writes.Note("Node b", Fail(StatusReason::kForbidden, "no\x1b[31m\nway"));
  writes.Note("Node a", Fail(StatusReason::kInvalid, std::string(1000, 'x')));
  writes.Note("Node c", {});
  EXPECT_FALSE(writes.all_made());
  EXPECT_THAT(writes.Refused(),
              ElementsAre(AllOf(StartsWith("Node a: xxx"), SizeIs(OwnWrites::kShownBytesMax)),
                          "Node b: no [31m way"));
  writes.Note("Node a", {});
  writes.Note("Node b", {});
  EXPECT_TRUE(writes.all_made());
  EXPECT_THAT(writes.Refused(), IsEmpty());
}

TEST(OwnWrites, HaveALimit) {
  OwnWrites writes;
  for (size_t i = 0; i <= OwnWrites::kRememberedMax; ++i) {
    writes.Note(fmt::format("Node {}", i), Fail(StatusReason::kForbidden, "no"));
  }
  EXPECT_THAT(writes.Refused(), SizeIs(OwnWrites::kShownMax + 1));
  EXPECT_EQ(writes.Refused().back(), "and 980 more");
}

class OwnWritesTest : public testing::ServerTest {
 protected:
  std::string Write(Verb verb,
                    std::string_view plural,
                    std::string_view name,
                    std::string body,
                    std::string subresource = {}) {
    ResourceRequest request = Request(verb, plural, "default", name);
    request.subresource = std::move(subresource);
    if (!body.empty()) request.body = std::move(body);
    return Do(std::move(request));
  }
};

TEST_F(OwnWritesTest, AQuotaKeepsNoServerFromStarting) {
  const std::string quota = R"({"metadata":{"name":"none"},"spec":{"hard":{"services":"0"}},)"
                            R"("status":{"hard":{"services":"0"},"used":{"services":"0"}}})";
  ASSERT_THAT(Write(Verb::kCreate, "resourcequotas", "", quota), StartsWith("201 "));
  ASSERT_THAT(Write(Verb::kUpdate, "resourcequotas", "none", quota, "status"), StartsWith("200 "));
  EXPECT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 6443)).has_value());
  EXPECT_TRUE(resources_.HasMade(FirstStep::kCluster));
  EXPECT_THAT(resources_.own_writes().Refused(),
              Contains(AllOf(StartsWith("Service default/kubernetes: "),
                             HasSubstr("exceeded quota: none"))));
  EXPECT_THAT(Do(Request(Verb::kGet, "endpoints", "default", "kubernetes")), StartsWith("200 "))
      << "the rest is made all the same";
  EXPECT_TRUE(Wait(resources_.RepeatOwnWrites()).has_value());
  EXPECT_FALSE(resources_.own_writes().all_made());
  EXPECT_THAT(Write(Verb::kDelete, "resourcequotas", "none", ""), Not(StartsWith("4")));
  EXPECT_TRUE(Wait(resources_.RepeatOwnWrites()).has_value());
  EXPECT_TRUE(resources_.own_writes().all_made());
  EXPECT_THAT(Do(Request(Verb::kGet, "services", "default", "kubernetes")), StartsWith("200 "));
}

}  // namespace
}  // namespace dray::server::verbs::inline context
