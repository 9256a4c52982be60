// SPDX-License-Identifier: Apache-2.0
// What the real Disk syncs, and when. This program replaces fsync by one that also calls the test.
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/world.h"

namespace {

std::function<void(int)>& OnSync() {
  static std::function<void(int)> function;
  return function;
}

}  // namespace

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's
extern "C" int fsync(int fd) {
  if (OnSync()) OnSync()(fd);
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace dray {
namespace {

using ::testing::ElementsAre;

std::string Content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(DiskSync, AFileIsOnTheDiskBeforeItsNameAndThenTheName) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-sync-" + NewUuid(RealWorld().random);
  const std::string path = folder + "/key.pem";
  ASSERT_TRUE(disk.MakeFolder(folder));
  ASSERT_TRUE(disk.Write(path, "old", Disk::Privacy::kOwnerOnly));
  std::vector<std::string> seen;
  OnSync() = [&](int fd) {
    struct stat what{};
    fstat(fd, &what);
    seen.push_back((S_ISDIR(what.st_mode) ? "folder with " : "file beside ") + Content(path));
  };
  ASSERT_TRUE(disk.Write(path, "new", Disk::Privacy::kOwnerOnly));
  OnSync() = nullptr;
  EXPECT_THAT(seen, ElementsAre("file beside old", "folder with new"));
}

TEST(DiskSync, ANewFileIsFinishedOnlyWhenItsNameIsOnTheDisk) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-finish-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.MakeFolder(folder));
  const auto file = disk.MakeFile(folder + "/backup").value();
  ASSERT_TRUE(file->Append("bytes"));
  std::vector<std::string> seen;
  OnSync() = [&](int fd) {
    struct stat what{};
    fstat(fd, &what);
    seen.emplace_back(S_ISDIR(what.st_mode) ? "folder" : "file");
  };
  ASSERT_TRUE(file->Finish());
  OnSync() = nullptr;
  EXPECT_THAT(seen, ElementsAre("file", "folder"));
}

TEST(DiskSync, AWriteThatCannotReplaceLeavesNothingAside) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-replace-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.MakeFolder(folder + "/taken/by-a-folder"));
  EXPECT_FALSE(disk.Write(folder + "/taken", "text", Disk::Privacy::kOwnerOnly));
  EXPECT_THAT(disk.List(folder).value(), ElementsAre("taken"));
}

TEST(DiskSync, AGrowingFileThatWasReadableIsSoNoMore) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-mode-" + NewUuid(RealWorld().random);
  const std::string path = folder + "/audit.log";
  ASSERT_TRUE(disk.MakeFolder(folder));
  std::ofstream(path) << "old\n";
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(disk.OpenGrowing(path).value()->Append("new\n"));
  struct stat what{};
  ASSERT_EQ(stat(path.c_str(), &what), 0);
  EXPECT_EQ(what.st_mode & 0777U, 0600U);
  EXPECT_EQ(Content(path), "old\nnew\n");
}

TEST(DiskSync, WhatADeadProcessLeftAsideIsNotTakenOver) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-aside-" + NewUuid(RealWorld().random);
  const std::string path = folder + "/key.pem";
  ASSERT_TRUE(disk.MakeFolder(folder));
  std::ofstream(path + ".new") << "left over, readable by all users";
  chmod((path + ".new").c_str(), 0644);
  ASSERT_TRUE(disk.Write(path, "secret", Disk::Privacy::kOwnerOnly));
  struct stat what{};
  ASSERT_EQ(stat(path.c_str(), &what), 0);
  EXPECT_EQ(what.st_mode & 0777U, 0600U);
  EXPECT_EQ(Content(path), "secret");
  EXPECT_EQ(access((path + ".new").c_str(), F_OK), -1);
}

}  // namespace
}  // namespace dray
