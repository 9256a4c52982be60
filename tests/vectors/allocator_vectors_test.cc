// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_vectors.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::vectors {
namespace {

std::string Folder() {
  const char* root = std::getenv("DRAY_SHARED");  // NOLINT(concurrency-mt-unsafe): single thread
  return (root != nullptr ? std::string(root) : DRAY_SOURCE_DIR "/../shared") +
         "/vectors/allocator";
}

void ExpectAllPass(const std::string& profile,
                   const std::vector<std::string>& files,
                   size_t passed_min) {
  Disk& disk = RealWorld().disk;
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(Folder() + "/" + file);
  const Result<Report> report = RunAllocatorVectors(disk, paths, {.profile = profile});
  ASSERT_TRUE(report) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GE(report->passed, passed_min);
}

TEST(AllocatorVectors, AgreeWithUpstream) {
  if (!RealWorld().disk.IsFolder(Folder())) GTEST_SKIP() << "no shared vectors at " << Folder();
  const std::vector<std::string> files = {"admin.jsonl",
                                          "basic.jsonl",
                                          "binding.jsonl",
                                          "config.jsonl",
                                          "constraints.jsonl",
                                          "consumable.jsonl",
                                          "invalid.jsonl",
                                          "lists.jsonl",
                                          "mixed.jsonl",
                                          "partitionable.jsonl",
                                          "pools.jsonl",
                                          "prioritized.jsonl",
                                          "release-0.37.jsonl",
                                          "reproductions.jsonl",
                                          "table-v0.36.6.jsonl",
                                          "table-v0.37.2.jsonl",
                                          "taints.jsonl"};
  ExpectAllPass("v0.37.2/incubating", files, 4200);
  ExpectAllPass("v0.37.2/experimental", files, 5800);
}

TEST(AllocatorVectors, OwnProblemsAgree) {
  const Result<Report> report = RunAllocatorVectors(
      RealWorld().disk, {DRAY_SOURCE_DIR "/tests/data/allocator/problems.jsonl"}, {});
  ASSERT_TRUE(report) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GE(report->passed, 20U);
}

}  // namespace
}  // namespace dray::vectors
