// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_vectors.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::vectors {
namespace {

std::string Folder() {
  const char* root = std::getenv("DRAY_SHARED");  // NOLINT(concurrency-mt-unsafe): single thread
  return (root != nullptr ? std::string(root) : DRAY_SOURCE_DIR "/../shared") +
         "/vectors/allocator";
}

void ExpectAllPass(const std::string& folder, size_t passed_min) {
  Disk& disk = RealWorld().disk;
  const Result<std::vector<std::string>> names = disk.List(folder);
  ASSERT_TRUE(names) << names.error().message;
  std::vector<std::string> paths;
  for (const std::string& name : *names) {
    if (name.ends_with(".jsonl")) paths.push_back(folder + "/" + name);
  }
  const Result<Report> report = RunAllocatorVectors(disk, paths, {});
  ASSERT_TRUE(report) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  for (const auto& [reason, count] : report->not_run) ADD_FAILURE() << count << " " << reason;
  EXPECT_GE(report->passed, passed_min);
}

TEST(AllocatorVectors, AgreeWithUpstream) {
  if (!RealWorld().disk.IsFolder(Folder())) GTEST_SKIP() << "no shared vectors at " << Folder();
  ExpectAllPass(Folder(), 24'000);
}

TEST(AllocatorVectors, OwnProblemsAgree) {
  ExpectAllPass(DRAY_SOURCE_DIR "/tests/data/allocator", 900);
}

TEST(AllocatorVectors, OneLabelCanBeChosen) {
  const Result<Report> report =
      RunAllocatorVectors(RealWorld().disk,
                          {DRAY_SOURCE_DIR "/tests/data/allocator/problems.jsonl"},
                          {.profile = "v0.36.6/stable"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->passed, 36U);
  EXPECT_EQ(report->summary.size(), 1U);
  EXPECT_FALSE(report->not_run.empty());
}

}  // namespace
}  // namespace dray::vectors
