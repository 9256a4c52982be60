// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <filesystem>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounded_queue.h"
#include "base/lazy.h"
#include "base/log.h"
#include "base/published.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/text_uuid.h"
#include "base/try.h"
#include "base/zoneinfo.h"

namespace dray {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(StatusReason::kInvalid, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  DRAY_TRY(const int half, Half(number));
  return Half(half);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_EQ(Quarter(6).error().reason, StatusReason::kInvalid);
}

TEST(Result, ReasonsHaveNames) {
  for (int i = 0; i <= static_cast<int>(StatusReason::kServiceUnavailable); ++i) {
    const auto reason = static_cast<StatusReason>(i);
    EXPECT_EQ(ReasonNamed(ReasonName(reason)), reason);
  }
  EXPECT_EQ(ReasonName(StatusReason::kConflict), "Conflict");
  EXPECT_EQ(ReasonName(StatusReason::kServiceUnavailable), "ServiceUnavailable");
  EXPECT_EQ(ReasonName(StatusReason::kUnknown), "");
  EXPECT_EQ(ReasonNamed("TooBad"), StatusReason::kUnknown);
}

TEST(BoundedQueue, RefusesOneMoreThanItsCapacity) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.TryPush(1));
  EXPECT_TRUE(queue.TryPush(2));
  EXPECT_FALSE(queue.TryPush(3));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_TRUE(queue.TryPush(4));
  queue.Close();
  EXPECT_FALSE(queue.TryPush(5));
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_EQ(queue.Pop(), 4);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(Published, KeepsOldValuesAliveForTheirReaders) {
  Published<std::string> published(std::make_shared<const std::string>("first"));
  const Frozen<std::string> held = published.Load();
  published.Store(std::make_shared<const std::string>("second"));
  EXPECT_EQ(*held, "first");
  EXPECT_EQ(*published.Load(), "second");
}

TEST(Lazy, ManyWhoAskAtOnceGetTheValueOfOneCall) {
  for (int round = 0; round < 200; ++round) {
    const Lazy<int> value;
    std::atomic<int> calls = 0;
    {
      std::vector<std::jthread> askers(4);
      for (std::jthread& asker : askers) {
        asker = std::jthread([&] { EXPECT_EQ(value.Get([&] { return ++calls; }), 1); });
      }
    }
    EXPECT_EQ(calls, 1);
  }
}

TEST(Lazy, WhoWaitedForACallThatThrewCallsAgain) {
  const Lazy<int> value;
  std::atomic<bool> asks = false;
  std::jthread other;
  const auto fail = [&]() -> int {
    other = std::jthread([&] {
      asks = true;
      asks.notify_one();
      EXPECT_EQ(value.Get([] { return 7; }), 7);
    });
    asks.wait(false);
    throw std::bad_alloc();
  };
  EXPECT_THROW(value.Get(fail), std::bad_alloc);
  other.join();
  EXPECT_EQ(value.Get([] { return 8; }), 7);
}

TEST(World, ASeedGivesTheSameNumbersAgain) {
  SeededRandom one(7);
  SeededRandom other(7);
  EXPECT_EQ(one.Next(), other.Next());
  EXPECT_EQ(NewUuid(one), NewUuid(other));
}

TEST(World, TheUuidOfATextIsAlwaysTheSame) {
  EXPECT_EQ(UuidOf("Pod default/a"), UuidOf("Pod default/a"));
  EXPECT_NE(UuidOf("Pod default/a"), UuidOf("Pod default/b"));
  EXPECT_EQ(UuidOf("").size(), 36U);
}

TEST(World, UuidsSayTheirVersionAndVariant) {
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = NewUuid(random);
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_THAT(std::string("89ab"), ::testing::HasSubstr(uuid.substr(19, 1)));
  }
}

TEST(World, TheSimulatedClockMovesWhenTold) {
  SimulatedClock clock;
  const WallTime before = clock.Now();
  EXPECT_EQ(clock.Now(), before);
  clock.Advance(std::chrono::seconds(3));
  EXPECT_EQ(clock.Now() - before, std::chrono::seconds(3));
}

TEST(World, TheRealDiskReadsSoMuchAndNoMore) {
  Disk& disk = RealWorld().disk;
  const std::string path = ::testing::TempDir() + "dray-much-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.Write(path, "", Disk::Privacy::kOwnerOnly));
  std::filesystem::resize_file(path, Disk::kReadBytesMax);
  EXPECT_EQ(disk.Read(path).value().size(), Disk::kReadBytesMax);
  std::filesystem::resize_file(path, Disk::kReadBytesMax + 1);
  EXPECT_EQ(disk.Read(path).error().reason, StatusReason::kRequestEntityTooLarge);
  std::filesystem::remove(path);
  const Result<std::string> endless = disk.Read("/dev/zero");
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().message,
            "/dev/zero has more than 512 MiB, which is the most that is read: split it");
}

TEST(World, TheRealDiskReplacesFilesWhole) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-disk";
  ASSERT_TRUE(disk.MakeFolder(folder));
  ASSERT_TRUE(disk.Write(folder + "/a", "one", Disk::Privacy::kOwnerOnly));
  ASSERT_TRUE(disk.Write(folder + "/a", "two", Disk::Privacy::kOwnerOnly));
  EXPECT_EQ(disk.Read(folder + "/a").value(), "two");
  EXPECT_EQ(disk.Read(folder + "/none").error().reason, StatusReason::kNotFound);
}

TEST(World, AGrowingFileGivesBackWhatItReserved) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-growing-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.MakeFolder(folder));
  const std::string path = folder + "/log";
  const std::string much(size_t{100} << 10, 'x');
  {
    const auto file = disk.OpenGrowing(path).value();
    for (const std::string& bytes : {std::string("a"), much, much, std::string("b")}) {
      ASSERT_TRUE(file->Append(bytes));
    }
    EXPECT_EQ(file->size(), 2 * much.size() + 2);
  }
  EXPECT_EQ(disk.Read(path).value(), "a" + much + much + "b");
  struct stat about{};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  constexpr size_t kBlock = 512;  // of st_blocks
  EXPECT_LT(static_cast<size_t>(about.st_blocks) * kBlock, 3 * much.size());
}

TEST(World, AGrowingFileThatSomebodyElseEmptiedStaysEmpty) {
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-growing-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.MakeFolder(folder));
  const std::string path = folder + "/log";
  {
    const auto file = disk.OpenGrowing(path).value();
    ASSERT_TRUE(file->Append(std::string(size_t{100} << 10, 'x')));
    ASSERT_EQ(truncate(path.c_str(), 0), 0);
    ASSERT_TRUE(file->Append("y"));
  }
  EXPECT_EQ(disk.Read(path).value(), "y");
}

TEST(Zoneinfo, FilesAreFoundWhereGoLooks) {
  MemoryDisk disk;
  const std::string folder = "/usr/share/zoneinfo";
  ASSERT_TRUE(disk.Write(folder + "/Europe/Berlin", "berlin", Disk::Privacy::kEverybody));
  ASSERT_TRUE(disk.Write("/etc/zoneinfo/Mars", "mars", Disk::Privacy::kEverybody));
  const auto said = [&disk](std::string_view name) {
    const auto file = ReadZoneFile(disk, name);
    return file.has_value() ? *file : file.error().message;
  };
  EXPECT_EQ(said("Europe/Berlin"), "berlin");
  EXPECT_EQ(said("Mars"), "mars");
  EXPECT_EQ(said("Europe"), "is a directory");
  EXPECT_EQ(said("Europe/Berlin/Mitte"), "not a directory");
  EXPECT_EQ(said("Europe/Rome"), "unknown time zone Europe/Rome");
}

void ExpectNewFilesAreWhole(Disk& disk, const std::string& path) {
  {
    const auto unfinished = disk.MakeFile(path);
    ASSERT_TRUE(unfinished.has_value()) << unfinished.error().message;
    ASSERT_TRUE((*unfinished)->Append("half"));
    EXPECT_EQ(disk.MakeFile(path).error().reason, StatusReason::kAlreadyExists);
  }
  EXPECT_EQ(disk.Read(path).error().reason, StatusReason::kNotFound);
  {
    const auto finished = disk.MakeFile(path);
    ASSERT_TRUE(finished.has_value()) << finished.error().message;
    ASSERT_TRUE((*finished)->Append("one "));
    ASSERT_TRUE((*finished)->Append("two"));
    ASSERT_TRUE((*finished)->Finish());
  }
  EXPECT_EQ(disk.Read(path).value(), "one two");
  EXPECT_EQ(disk.MakeFile(path).error().reason, StatusReason::kAlreadyExists);
}

TEST(World, ANewFileStaysOnlyWhenItIsFinished) {
  MemoryDisk memory;
  ExpectNewFilesAreWhole(memory, "folder/new");
  Disk& disk = RealWorld().disk;
  const std::string folder = ::testing::TempDir() + "dray-new-file-" + NewUuid(RealWorld().random);
  ASSERT_TRUE(disk.MakeFolder(folder));
  ExpectNewFilesAreWhole(disk, folder + "/new");
  EXPECT_EQ(disk.MakeFile(folder + "/none/new").error().reason, StatusReason::kNotFound);
}

TEST(Log, WritesKeysAndValuesAfterTheMessage) {
  const SimulatedClock clock;
  std::vector<std::string> lines;
  const Log log(clock, [&](std::string_view line) { lines.emplace_back(line); }, {});
  log.Info("claim allocated", "claim", "default/a \"b\"", "devices", 3);
  log.Debug("not shown");
  EXPECT_THAT(
      lines,
      ::testing::ElementsAre(
          "I0101 00:00:00.000000 \"claim allocated\" claim=\"default/a \\\"b\\\"\" devices=3\n"));
}

TEST(Log, WhatATerminalWouldNotShowIsAnEscape) {
  const SimulatedClock clock;
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    std::string lines;
    const Log log(clock, [&](std::string_view line) { lines += line; }, {.format = format});
    log.Info("request", "agent", "\x1b[2J\u009b2J\u202e\x7f\xff\nI0101 forged");
    EXPECT_THAT(lines,
                ::testing::HasSubstr(R"("\u001b[2J\u009b2J\u202e\u007f\ufffd\nI0101 forged")"));
  }
}

TEST(Log, JsonLinesAreObjects) {
  const SimulatedClock clock;
  std::string lines;
  const Log log(clock, [&](std::string_view line) { lines += line; }, {.format = LogFormat::kJson});
  log.Warning("watch closed", "lag", 12, "why", "slow\n");
  EXPECT_EQ(lines,
            "{\"ts\":\"2026-01-01T00:00:00.000000Z\",\"level\":\"W\",\"msg\":\"watch "
            "closed\",\"lag\":12,\"why\":\"slow\\n\"}\n");
}

}  // namespace
}  // namespace dray
