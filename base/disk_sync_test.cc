// SPDX-License-Identifier: Apache-2.0
// What the real disk brings onto the disk, and when. This program's fsync is one that looks on.
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

TEST(DiskSync, WhatADeadProcessLeftAsideIsNotTakenOver) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-aside-" + NewUuid(RealWorld().random);
  const std::string path = folder + "/key.pem";
  ASSERT_TRUE(disk.MakeFolder(folder));
  std::ofstream(path + ".new") << "left over, for everybody to read";
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
