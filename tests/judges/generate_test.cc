// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/generate.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "tests/judges/family.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {
namespace {

int Generated(const std::vector<std::string>& words, Disk& disk) {
  return RunGenerate(words, disk);
}

TEST(Generate, WritesALineForEachSeed) {
  MemoryDisk disk;
  ASSERT_EQ(Generated({"--seed", "7", "--count", "3", "--family", "tight", "-o", "out"}, disk), 0);
  const Result<std::string> text = disk.Read("out");
  ASSERT_TRUE(text) << text.error().message;
  std::string expected;
  for (const uint64_t seed : {7U, 8U, 9U})
    expected += EncodeProblem(RandomProblem(seed, {.family = FindFamily("tight")})) + "\n";
  EXPECT_EQ(*text, expected);
}

TEST(Generate, SizesAreOptions) {
  MemoryDisk disk;
  ASSERT_EQ(Generated({"--count", "20", "--nodes", "1", "--claims", "1", "-o", "out"}, disk), 0);
  const std::string written = *disk.Read("out");
  const std::string_view text = written;
  EXPECT_EQ(std::ranges::count(text, '\n'), 20);
  const Result<Problem> first = DecodeProblem(text.substr(0, text.find('\n')));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->nodes.size(), 1U);
  EXPECT_EQ(first->claims.size(), 1U);
}

TEST(Generate, ImplementationsAreChosen) {
  MemoryDisk disk;
  for (const std::string name : {"stable", "incubating", "experimental"}) {
    ASSERT_EQ(Generated({"--seed", "5", "--implementation", name, "-o", "out"}, disk), 0);
    const Result<Problem> problem = DecodeProblem(std::string_view(*disk.Read("out")));
    ASSERT_TRUE(problem) << problem.error().message;
    using enum allocator::Implementation;
    EXPECT_EQ(problem->features.Picked(),
              name == "stable"       ? kStable
              : name == "incubating" ? kIncubating
                                     : kExperimental);
  }
}

TEST(Generate, BadUsageIsAnError) {
  MemoryDisk disk;
  EXPECT_EQ(Generated({"--count"}, disk), 2);
  EXPECT_EQ(Generated({"--count", "many"}, disk), 2);
  EXPECT_EQ(Generated({"--count", "-1"}, disk), 2);
  EXPECT_EQ(Generated({"--nodes", "0"}, disk), 2);
  EXPECT_EQ(Generated({"--family", "unheard"}, disk), 2);
  EXPECT_EQ(Generated({"--mistakes", "101"}, disk), 2);
  EXPECT_EQ(Generated({"--implementation", "unheard"}, disk), 2);
  EXPECT_EQ(Generated({"--unheard", "1"}, disk), 2);
}

TEST(Generate, HelpNamesTheFamilies) {
  for (const Family& family : Families())
    EXPECT_THAT(GenerateUsage(), ::testing::HasSubstr(std::string(family.name)));
}

}  // namespace
}  // namespace dray::judges
