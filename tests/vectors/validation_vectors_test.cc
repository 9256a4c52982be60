// SPDX-License-Identifier: Apache-2.0
// The measured answers of upstream's API server of several releases to valid and invalid objects.
#include "tests/vectors/validation_vectors.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

class ValidationVectors : public ::testing::TestWithParam<std::string> {};

TEST_P(ValidationVectors, AnswersAreUpstreams) {
  Disk& disk = RealWorld().disk;
  const Result<std::vector<std::string>> files =
      VectorFilesIn(disk, DRAY_SOURCE_DIR "/tests/data/vectors/validation", ".json");
  ASSERT_TRUE(files) << files.error().message;
  const Result<Report> report = RunValidationVectors(disk, *files, {.release = GetParam()});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Releases,
                         ValidationVectors,
                         ::testing::Values("1.30", "1.31", "1.32", "1.34", "1.36", "1.37"),
                         [](const auto& info) { return "R1_" + info.param.substr(2); });

// The repository has no cases of these.
class SharedValidationVectors : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedValidationVectors, AnswersAreUpstreams) {
  Disk& disk = RealWorld().disk;
  const std::string folder = SharedFolder() + "/vectors/validation";
  if (!disk.IsFolder(folder)) GTEST_SKIP() << folder << " is not there";
  const Result<std::vector<std::string>> files = VectorFilesIn(disk, folder, ".json");
  ASSERT_TRUE(files) << files.error().message;
  const Result<Report> report = RunValidationVectors(disk, *files, {.release = GetParam()});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Releases,
                         SharedValidationVectors,
                         ::testing::Values("1.33", "1.35"),
                         [](const auto& info) { return "R1_" + info.param.substr(2); });

// Checks that a case with a different answer is reported; otherwise passing would prove nothing.
TEST(ValidationAnswers, DifferencesAreTold) {
  const std::string file = ::testing::TempDir() + "/wrong.json";
  const std::string text = R"json([{
    "name": "wrong", "release": "1.37", "operation": "create", "expect": [],
    "object": {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "A"}},
    "measured": {"code": 201, "errors": [], "message": "", "warnings": []}}])json";
  ASSERT_TRUE(RealWorld().disk.Write(file, text, Disk::Privacy::kEverybody).has_value());
  const Result<Report> report = RunValidationVectors(RealWorld().disk, {file}, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->passed, 0U);
  ASSERT_EQ(report->failures.size(), 1U);
  EXPECT_TRUE(report->failures[0].starts_with("wrong: want 201")) << report->failures[0];
}

}  // namespace
}  // namespace dray::vectors
