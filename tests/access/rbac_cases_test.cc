// SPDX-License-Identifier: Apache-2.0
// Decisions equal to those of upstream's authoriser. tests/scripts/clients/access.txt runs the
// authoriser again where Go is installed.
#include "tests/access/rbac_cases.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/case_files.h"

namespace dray::access {
namespace {

TEST(RbacCases, AreDecidedAsUpstreamDoes) {
  const Result<std::string> measured = vectors::ReadVectors(
      RealWorld().disk, std::string(DRAY_SOURCE_DIR) + "/tests/data/vectors/access/rbac.txt.gz");
  ASSERT_TRUE(measured.has_value()) << measured.error().message;
  std::string_view rest = *measured;
  size_t rules = 0;
  for (uint64_t seed = 0; seed < kWorlds; ++seed) {
    const World world = WorldOf(seed);
    for (const auto& role : world.objects.cluster_roles) rules += role.rules.size();
    for (const auto& role : world.objects.roles) rules += role.rules.size();
    const size_t end = std::min(rest.find('\n'), rest.size());
    EXPECT_EQ(AnswerOf(world), rest.substr(0, end)) << "seed " << seed;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  EXPECT_TRUE(rest.empty());
  EXPECT_GE(rules, 100'000U);
}

}  // namespace
}  // namespace dray::access
