// SPDX-License-Identifier: Apache-2.0
// Every recording but those in tests/rest/not_equal.txt is answered as by the real server.
#include "tests/rest/rest_vectors.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

TEST(RestVectors, RecordedRequestsAreAnsweredAlike) {
  const std::string folder = SharedFolder() + "/vectors/rest";
  if (!RealWorld().disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  const Result<Report> report = rest::RunRestVectors(
      RealWorld().disk,
      {folder},
      {.program = DRAY_PROGRAM, .except = DRAY_SOURCE_DIR "/tests/rest/not_equal.txt"});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  for (const std::string& one : report->not_played) ADD_FAILURE() << one;
  EXPECT_GT(report->passed, 0U);
  fmt::print("{} passed, {} failed\n", report->passed, report->failures.size());
}

}  // namespace
}  // namespace dray::vectors
