// SPDX-License-Identifier: Apache-2.0
// Verdicts over manifests: Dray's own always, those of public repositories if they are available.
#include "tests/vectors/manifest_vectors.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

void ExpectAll(const std::string& folder) {
  const Result<Report> report = RunManifestVectors(RealWorld(), folder);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
  fmt::print("{} passed, {} failed\n", report->passed, report->failures.size());
}

TEST(ManifestVectors, OwnManifestsGetTheirVerdicts) {
  ExpectAll(DRAY_SOURCE_DIR "/tests/data/manifests");
}

TEST(ManifestVectors, PublishedManifestsGetUpstreamsVerdicts) {
  const std::string folder = SharedFolder() + "/vectors/manifests";
  if (!RealWorld().disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  ExpectAll(folder);
}

}  // namespace
}  // namespace dray::vectors
