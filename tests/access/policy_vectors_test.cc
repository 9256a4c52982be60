// SPDX-License-Identifier: Apache-2.0
// Admission policies decide as upstream's plug-in does. tests/scripts/clients/access.txt runs the
// plug-in again where Go is installed.
#include "tests/access/policy_vectors.h"

#include <gtest/gtest.h>

#include "tests/vectors/case_files.h"

namespace dray::access {
namespace {

TEST(PolicyVectors, AreJudgedAsUpstreamDoes) {
  Disk& disk = RealWorld().disk;
  const auto files =
      vectors::VectorFilesIn(disk, DRAY_SOURCE_DIR "/tests/data/vectors/access", ".json");
  ASSERT_TRUE(files.has_value());
  const auto report = RunPolicyVectors(disk, *files);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_GT(report->passed, 3'000U);
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
}

}  // namespace
}  // namespace dray::access
