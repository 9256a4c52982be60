// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_vectors.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

constexpr size_t kAnswers = 24'793;

TEST(AllocatorVectors, AgreeWithUpstream) {
  Disk& disk = RealWorld().disk;
  const Result<std::vector<std::string>> files =
      VectorFilesIn(disk, DRAY_SOURCE_DIR "/tests/data/vectors/allocator", ".jsonl");
  ASSERT_TRUE(files) << files.error().message;
  const Result<Report> report = RunAllocatorVectors(disk, *files, {});
  ASSERT_TRUE(report) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  for (const auto& [reason, count] : report->not_run) ADD_FAILURE() << count << " " << reason;
  EXPECT_EQ(report->passed, kAnswers);
}

TEST(AllocatorVectors, OneLabelCanBeChosen) {
  const Result<Report> report =
      RunAllocatorVectors(RealWorld().disk,
                          {DRAY_SOURCE_DIR "/tests/data/vectors/allocator/reproductions.jsonl.gz"},
                          {.profile = "v0.36.6/stable"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->passed, 36U);
  EXPECT_EQ(report->summary.size(), 1U);
  EXPECT_FALSE(report->not_run.empty());
}

}  // namespace
}  // namespace dray::vectors
