// SPDX-License-Identifier: Apache-2.0
// Random histories: those of a correct store are sound, and mutations are found.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/simulated_world.h"
#include "tests/history/check.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"
#include "tests/history/testing/model_history.h"
#include "tests/soak.h"

namespace dray::history {
namespace {

constexpr uint64_t kSeeds = 100;
constexpr uint64_t kSeedsOfMutations = 30;

TEST(RandomHistories, OfARightStoreAreSound) {
  for (uint64_t seed = 1; seed <= Instances(kSeeds); ++seed) {
    const History history = testing::ModelHistory({.seed = seed, .unknown_percent = seed % 4 * 10});
    const Report report = Check(history);
    ASSERT_EQ(ToText(report), "sound\n") << "seed " << seed << "\n" << ToText(history);
    EXPECT_LT(report.steps, 20'000U) << "seed " << seed;
  }
}

TEST(RandomHistories, WithoutRevisionsOfReadsAreSound) {
  for (uint64_t seed = 1; seed <= Instances(kSeeds); ++seed) {
    const History history = testing::ModelHistory(
        {.seed = seed, .clients = 6, .keys = 2, .unknown_percent = 10, .hidden_percent = 100});
    ASSERT_EQ(ToText(Check(history)), "sound\n") << "seed " << seed << "\n" << ToText(history);
  }
}

// Like clients on a busy machine: many calls overlap, and most writes have an unknown outcome.
TEST(RandomHistories, ManyUnknownOutcomesAreDecidedWithoutSearch) {
  for (uint64_t seed = 1; seed <= Instances(6); ++seed) {
    const testing::ModelOptions options{.seed = seed,
                                        .clients = 16,
                                        .operations = 300,
                                        .keys = 6,
                                        .unknown_percent = 30 + seed % 3 * 25};
    const Report report = Check(testing::ModelHistory(options));
    ASSERT_EQ(ToText(report), "sound\n") << "seed " << seed;
    EXPECT_LT(report.steps, 10 * options.operations) << "seed " << seed;
  }
}

TEST(RandomHistories, LongOnesAreQuick) {
  const History history = testing::ModelHistory({.seed = 7,
                                                 .clients = 16,
                                                 .watchers = 8,
                                                 .operations = 3'000,
                                                 .keys = 40,
                                                 .unknown_percent = 2});
  const Report report = Check(history);
  EXPECT_EQ(ToText(report), "sound\n");
}

TEST(RandomHistories, MutationsAreFound) {
  for (const testing::Mutation& mutation : testing::AllMutations()) {
    size_t applied = 0;
    for (uint64_t seed = 1; seed <= Instances(kSeedsOfMutations); ++seed) {
      History history = testing::ModelHistory({.seed = seed, .unknown_percent = 5});
      SeededRandom random(seed);
      if (!mutation.apply(history, random)) continue;
      ++applied;
      const Report report = Check(history);
      const bool is_found = std::ranges::any_of(report.findings, [&](const Finding& finding) {
        return mutation.found_as.contains(finding.property);
      });
      ASSERT_TRUE(is_found) << mutation.name << ", seed " << seed << ": " << ToText(report) << "\n"
                            << ToText(history);
    }
    EXPECT_GE(applied, kSeedsOfMutations / 5) << mutation.name;
  }
}

TEST(RandomHistories, SurviveAsText) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = ToText(testing::ModelHistory({.seed = seed}));
    const Result<History> again = ParseHistory(text);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(ToText(*again), text);
  }
}

TEST(RandomHistories, CutOffAnywhereAreSoundStill) {
  // A killed process leaves the beginning of its log. Writes without an answer there are unknown.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = ToText(testing::ModelHistory({.seed = seed}));
    SeededRandom random(seed);
    const std::string start = text.substr(0, 40 + random.Next() % (text.size() - 40));
    const Result<History> part = ParseHistory(start);
    ASSERT_TRUE(part.has_value()) << part.error().message;
    EXPECT_EQ(ToText(Check(*part)), "sound\n") << "seed " << seed << "\n" << start;
  }
}

}  // namespace
}  // namespace dray::history
