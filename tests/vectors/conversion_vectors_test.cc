// SPDX-License-Identifier: Apache-2.0
// How upstream's releases show objects in each of their versions, and which defaults they set.
#include "tests/vectors/conversion_vectors.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/merge_back_vectors.h"

namespace dray::vectors {
namespace {

std::string SharedFolder() {
  const char* chosen = std::getenv("DRAY_SHARED");
  return chosen != nullptr ? chosen : DRAY_SOURCE_DIR "/../shared";
}

// The vector files of that name that this machine has: a few beside the tests, more in DRAY_SHARED.
std::vector<std::string> FilesOf(std::string_view name) {
  std::vector<std::string> files;
  for (const std::string& folder :
       {std::string(DRAY_SOURCE_DIR "/tests/data"), SharedFolder() + "/vectors"}) {
    const std::string path = fmt::format("{}/{}/{}.json", folder, name, name);
    if (RealWorld().disk.Read(path)) files.push_back(path);
  }
  return files;
}

void Expect(const Result<Report>& report, std::string_view what) {
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  EXPECT_TRUE(report->not_run.empty());
  fmt::print("{}: {} passed, {} failed\n", what, report->passed, report->failures.size());
}

TEST(ConversionVectors, VersionsShowWhatUpstreamsShow) {
  Expect(RunConversionVectors(RealWorld().disk, FilesOf("conversion"), {}), "conversion");
}

TEST(DefaultingVectors, ObjectsHaveUpstreamsDefaults) {
  Expect(RunDefaultingVectors(RealWorld().disk, FilesOf("defaulting"), {}), "defaulting");
}

TEST(MergeBackVectors, WritingBackWhatWasReadChangesNothing) {
  std::vector<std::string> paths = FilesOf("conversion");
  const std::string fixtures = SharedFolder() + "/vectors/api";
  if (RealWorld().disk.IsFolder(fixtures)) paths.push_back(fixtures);
  const auto report = RunMergeBackVectors(RealWorld().disk, paths);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  fmt::print("merge-back: {} passed, {} failed\n", report->passed, report->failures.size());
}

}  // namespace
}  // namespace dray::vectors
