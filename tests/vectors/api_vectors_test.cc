// SPDX-License-Identifier: Apache-2.0
// Objects in JSON, YAML and protobuf: our own, and those that upstream's types wrote.
#include "tests/vectors/api_vectors.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "base/world.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

void ExpectAllPass(const std::string& folder) {
  const Result<Report> report = RunApiVectors(RealWorld().disk, {folder});
  ASSERT_TRUE(report) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  for (const auto& [reason, count] : report->not_run) ADD_FAILURE() << count << ": " << reason;
  EXPECT_GT(report->passed, 0U);
  fmt::print("{}: {} passed\n", folder, report->passed);
}

TEST(ApiVectors, OurObjectsRoundTrip) {
  ExpectAllPass(DRAY_SOURCE_DIR "/tests/data/api");
}

TEST(ApiVectors, UpstreamsObjectsRoundTrip) {
  const std::string folder = SharedFolder() + "/vectors/api";
  if (!RealWorld().disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  ExpectAllPass(folder);
}

// Checks that the runner can fail: each file is changed in one place, and must fail.
TEST(ApiVectors, NoticeChanges) {
  const std::string folder = DRAY_SOURCE_DIR "/tests/data/api/v1.37.0";
  constexpr const char* kStem = "coordination.k8s.io.v1.Lease";
  struct {
    const char *form, *from, *to;
  } const changes[] = {
      {"json", R"("holderIdentity": "",)", R"("holderIdentity": "x",)"},
      {"json", "\"leaseDurationSeconds\": -1,", R"("leaseDurationSeconds": -1, "unknown": 1,)"},
      {"yaml", "holderIdentity: \"\"", "holderIdentity: x"},
      {"pb", "lease", "other"},
      {"pb", "Lease", "Leash"},
  };
  for (const auto& change : changes) {
    SimulatedWorld world(1);
    Disk& disk = world.disk();
    for (const char* form : {"json", "yaml", "pb"}) {
      const std::string name = fmt::format("{}.{}", kStem, form);
      Result<std::string> text = RealWorld().disk.Read(fmt::format("{}/{}", folder, name));
      ASSERT_TRUE(text);
      if (std::string_view(form) == change.form) {
        const size_t at = text->find(change.from);
        ASSERT_NE(at, std::string::npos) << change.from;
        text->replace(at, std::string_view(change.from).size(), change.to);
      }
      ASSERT_TRUE(disk.Write("v1.37.0/" + name, *text, Disk::Privacy::kEverybody));
    }
    const Result<Report> report = RunApiVectors(disk, {"v1.37.0"});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->failures.empty()) << change.to;
  }
}

TEST(ApiVectors, RefuseFoldersOfNoRelease) {
  const Result<Report> report = RunApiVectors(RealWorld().disk, {DRAY_SOURCE_DIR "/tests"});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, ::testing::HasSubstr("is no folder of a release"));
}

}  // namespace
}  // namespace dray::vectors
