// SPDX-License-Identifier: Apache-2.0
// The measured answers of upstream's API server of several releases to valid and invalid objects:
// a selection that lies in tests/data, and all of them where a folder has them.
#include "tests/vectors/validation_vectors.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::vectors {
namespace {

// The folder of vectors, or empty when this machine has none.
std::string SharedFolder() {
  const char* chosen = std::getenv("DRAY_SHARED");
  const std::string shared = chosen != nullptr ? chosen : DRAY_SOURCE_DIR "/../shared";
  std::string folder = fmt::format("{}/vectors/validation", shared);
  return RealWorld().disk.IsFolder(folder) ? folder : std::string();
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  const auto names = RealWorld().disk.List(folder);
  if (!names) return files;
  for (const std::string& name : *names) {
    if (name.ends_with(".json")) files.push_back(fmt::format("{}/{}", folder, name));
  }
  return files;
}

void ExpectAllPass(const std::vector<std::string>& files, const ApiVectorOptions& options) {
  const Result<Report> report = RunValidationVectors(RealWorld().disk, files, options);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
}

class ValidationVectors : public testing::TestWithParam<std::string> {};

TEST_P(ValidationVectors, SelectionHasUpstreamsAnswers) {
  ExpectAllPass({fmt::format("{}/tests/data/validation/{}.json", DRAY_SOURCE_DIR, GetParam())},
                {.release = GetParam()});
}

TEST_P(ValidationVectors, AnswersAreUpstreams) {
  const std::string folder = SharedFolder();
  if (folder.empty()) GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  ExpectAllPass(FilesIn(folder), {.release = GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Releases,
                         ValidationVectors,
                         testing::Values("1.30", "1.31", "1.32", "1.34", "1.36", "1.37"),
                         [](const auto& info) { return "R1_" + info.param.substr(2); });

// A case whose answer is not ours must be told, or nothing here means anything.
TEST(ValidationAnswers, DifferencesAreTold) {
  const std::string file = testing::TempDir() + "/wrong.json";
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
