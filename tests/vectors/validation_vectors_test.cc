// SPDX-License-Identifier: Apache-2.0
// The measured answers of upstream's API server to valid and invalid objects of resource.k8s.io/v1.
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
std::string FolderOf(std::string_view name) {
  const char* chosen = std::getenv("DRAY_SHARED");
  const std::string shared = chosen != nullptr ? chosen : DRAY_SOURCE_DIR "/../shared";
  std::string folder = fmt::format("{}/vectors/{}", shared, name);
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

void Expect(const Result<Report>& report, std::string_view what) {
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  fmt::print("{}: {} passed, {} failed\n", what, report->passed, report->failures.size());
  for (const auto& [reason, count] : report->not_run) {
    fmt::print("  not run: {} ({})\n", count, reason);
  }
}

class ValidationVectors : public testing::TestWithParam<std::string> {};

TEST_P(ValidationVectors, AnswersAreUpstreams) {
  const std::string folder = FolderOf("validation");
  if (folder.empty()) GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  const ApiVectorOptions options = {.kinds = GetParam()};
  Expect(RunValidationVectors(RealWorld().disk, FilesIn(folder), options), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         ValidationVectors,
                         testing::Values("resource.k8s.io/v1/DeviceClass",
                                         "resource.k8s.io/v1/ResourceClaimTemplate",
                                         "resource.k8s.io/v1/ResourceSlice",
                                         "resource.k8s.io/v1/ResourceClaim",
                                         "v1/Node",
                                         "v1/Pod"),
                         [](const auto& info) {
                           return info.param.substr(info.param.rfind('/') + 1);
                         });

}  // namespace
}  // namespace dray::vectors
