// SPDX-License-Identifier: Apache-2.0
// How upstream's releases show objects in each of their versions, and which defaults they set.
#include "tests/vectors/conversion_vectors.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/merge_back_vectors.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

std::string FileOf(std::string_view kind) {
  return fmt::format("{}/tests/data/vectors/{}/{}.json.gz", DRAY_SOURCE_DIR, kind, kind);
}

void Expect(const Result<Report>& report, std::string_view what) {
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  EXPECT_TRUE(report->not_run.empty());
  fmt::print("{}: {} passed, {} failed\n", what, report->passed, report->failures.size());
}

TEST(ConversionVectors, VersionsShowWhatUpstreamsShow) {
  Expect(RunConversionVectors(RealWorld().disk, {FileOf("conversion")}, {}), "conversion");
}

TEST(DefaultingVectors, ObjectsHaveUpstreamsDefaults) {
  Expect(RunDefaultingVectors(RealWorld().disk, {FileOf("defaulting")}, {}), "defaulting");
}

TEST(MergeBackVectors, WritingBackWhatWasReadChangesNothing) {
  std::vector<std::string> paths = {FileOf("conversion")};
  const std::string fixtures = SharedFolder() + "/vectors/api";  // upstream's
  if (RealWorld().disk.IsFolder(fixtures)) paths.push_back(fixtures);
  const auto report = RunMergeBackVectors(RealWorld().disk, paths);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  fmt::print("merge-back: {} passed, {} failed\n", report->passed, report->failures.size());
}

}  // namespace
}  // namespace dray::vectors
