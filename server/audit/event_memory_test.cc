// SPDX-License-Identifier: Apache-2.0
// Audit events that find no memory while their user is written.
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/failing_memory.h"
#include "server/access/user.h"
#include "server/audit/event.h"

namespace dray::server::audit {
namespace {

std::string LineOf(const access::User& user) {
  const Event event({.id = "id", .request_uri = "/api", .verb = "get", .user = user});
  std::string line;
  event.AppendLine(Stage::kRequestReceived, WallTime(), line);
  return line;
}

TEST(AuditEventWithoutMemory, TheNextEventOfAnotherUserIsWhole) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  const access::User first{.name = "first", .groups = {"a group whose name is not short at all"}};
  // Much longer: its text needs more memory half-way.
  const access::User other{.name = "other",
                           .groups = std::vector<std::string>(100, "a group of the other user")};
  const std::string expected = LineOf(first);
  ASSERT_THAT(expected, ::testing::HasSubstr(R"("user":{"username":"first","groups":[)"));
  bool has_failed = true;
  for (int at = 0; has_failed; ++at) {
    ASSERT_EQ(LineOf(first), expected) << at;
    dray::testing::TakeAllocationFailed();
    dray::testing::FailAllocationAfter(at);
    try {
      (void)LineOf(other);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): as requests do
    }
    dray::testing::FailAllocationAfter(-1);
    has_failed = dray::testing::TakeAllocationFailed();
  }
}

}  // namespace
}  // namespace dray::server::audit
