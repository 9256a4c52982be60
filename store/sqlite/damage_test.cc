// SPDX-License-Identifier: Apache-2.0
// Files that a disk or an operator has damaged. A store is opened with everything it ever answered,
// or it is refused with the name of the file and what to do. Repair keeps all intact records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/strong.h"
#include "store/snapshot.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"
#include "store/sqlite/wal_scan.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::Bytes;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Texts;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::TestFolder;

/// The contents of a store's files, by the part of their names after "dray.db".
using Files = std::map<std::string, std::string>;

Files ReadFiles(const std::string& folder) {
  Files files;
  for (const char* part : {"", "-wal", "-answered"}) {
    std::ifstream file(StoreFile(folder) + part, std::ios::binary);
    if (file) files[part] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

void WriteFiles(const std::string& folder, const Files& files) {
  for (const char* part : {"", "-wal", "-shm", "-answered"}) {
    std::filesystem::remove(StoreFile(folder) + part);
  }
  for (const auto& [part, bytes] : files) {
    std::ofstream(StoreFile(folder) + part, std::ios::binary | std::ios::trunc) << bytes;
  }
}

std::vector<std::string> AllOfStore(const Store& store) {
  const Frozen<Snapshot> newest = store.Read();
  std::vector<std::string> texts = Texts(newest->Range({}));
  texts.push_back("at " + std::to_string(newest->revision().value()));
  return texts;
}

/// The files of a store after some answered writes and SIGKILL, and the same two writes earlier.
struct Left {
  Files files, earlier;
  std::vector<std::string> state;
  Revision newest{};
};

Left LeftBehind(const SqliteOptions& options) {
  const TestFolder folder;
  Left left;
  const auto store = SqliteStore::Open(folder.path(), {}, options);
  if (!store.has_value()) {
    ADD_FAILURE() << store.error().message;
    return left;
  }
  constexpr int kWrites = 12;
  for (int i = 0; i < kWrites; ++i) {
    Txn txn = PutOf(fmt::format("/r/pods/{}", i % 5), std::string(i % 4 == 0 ? 9000 : 30, 'v'));
    txn.operations.emplace_back(Put{.key = "/r/other", .value = Bytes(std::to_string(i))});
    if (i % 3 == 2) txn.operations[0] = Delete{fmt::format("/r/pods/{}", i % 5)};
    Do(**store, std::move(txn));
    if (i == kWrites - 3) left.earlier = ReadFiles(folder.path());
  }
  left.files = ReadFiles(folder.path());
  left.state = AllOfStore(**store);
  left.newest = (*store)->Read()->revision();
  return left;
}

/// Only every so-many-th damage is tried: twenty times as many in a soak test. Odd, so that every
/// bit of a byte is covered.
size_t Stride(size_t damages, size_t tried_max) {
  constexpr size_t kSoak = 20;
  const char* const soak = std::getenv("DRAY_SOAK");  // NOLINT(concurrency-mt-unsafe): one thread
  const size_t tried = soak == nullptr ? tried_max : tried_max * kSoak;
  return std::max<size_t>(1, damages / tried) | 1U;
}

class StoreDamage : public ::testing::TestWithParam<bool> {
 protected:
  /// The store's data is all in the log, or nearly all in the file.
  StoreDamage()
      : left_(LeftBehind(
            GetParam()
                ? SqliteOptions{.fold_revisions = 4, .compact_revisions = 3, .checkpoint_pages = 2}
                : SqliteOptions{})) {}

  /// Opens a store of these files.
  void Expect(const Files& files, const std::string& what) {
    WriteFiles(folder_.path(), files);
    const auto store = SqliteStore::Open(folder_.path());
    if (store.has_value()) {
      EXPECT_EQ(AllOfStore(**store), left_.state) << what;
    } else {
      ++refused_;
      EXPECT_THAT(store.error().message, HasSubstr(StoreFile(folder_.path()))) << what;
      EXPECT_THAT(store.error().message, HasSubstr("`dray store")) << what;
    }
  }

  const Left left_;
  TestFolder folder_;
  int refused_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Files, StoreDamage, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "Copied" : "InTheLog");
});

TEST_P(StoreDamage, WithoutAnyItIsComplete) {
  Expect(left_.files, "nothing");
  EXPECT_EQ(refused_, 0);
}

TEST_P(StoreDamage, EachFlippedBit) {
  size_t bits = 0;
  for (const auto& [part, bytes] : left_.files) bits += bytes.size() * 8;
  const size_t stride = Stride(bits, 250);
  size_t at = 0;
  for (const auto& [part, bytes] : left_.files) {
    for (; at < bytes.size() * 8; at += stride) {
      Files files = left_.files;
      files[part][at / 8] = static_cast<char>(files[part][at / 8] ^ (1 << (at % 8)));
      Expect(files, fmt::format("bit {} of byte {} of dray.db{}", at % 8, at / 8, part));
    }
    at -= bytes.size() * 8;
  }
  EXPECT_GT(refused_, 0);
}

TEST_P(StoreDamage, EachTornSector) {
  constexpr size_t kSector = 512;
  for (const auto& [part, bytes] : left_.files) {
    const size_t stride = kSector * Stride(bytes.size() / kSector, 40);
    for (size_t at = 0; at < bytes.size(); at += stride) {
      const size_t size = std::min(kSector, bytes.size() - at);
      Files files = left_.files;
      files[part].replace(at, size, size, '\0');
      Expect(files, fmt::format("no sector at byte {} of dray.db{}", at, part));
      const auto earlier = left_.earlier.find(part);
      if (earlier == left_.earlier.end() || earlier->second.size() < at + size) continue;
      files[part] = bytes;
      files[part].replace(at, size, earlier->second, at, size);
      Expect(files, fmt::format("an older sector at byte {} of dray.db{}", at, part));
    }
  }
}

TEST_P(StoreDamage, EachPrefix) {
  for (const auto& [part, bytes] : left_.files) {
    const size_t stride = 8 * Stride(bytes.size() / 8, 40);
    for (size_t size = 0; size < bytes.size(); size += stride) {
      Files files = left_.files;
      files[part].resize(size);
      Expect(files, fmt::format("{} bytes of dray.db{}", size, part));
    }
  }
}

TEST_P(StoreDamage, EachMissingOrOlderFile) {
  for (const auto& [part, bytes] : left_.files) {
    Files files = left_.files;
    files.erase(part);
    Expect(files, "no dray.db" + part);
    files[part] = left_.earlier.at(part);
    Expect(files, "an older dray.db" + part);
  }
  Files files = left_.files;
  files.erase("-answered");
  Expect(files, "without what was answered");
  EXPECT_GT(refused_, 0);
}

/// Flips a bit in the middle of the log.
Files DamagedLog(const Left& left) {
  Files files = left.files;
  std::string& log = files["-wal"];
  const WalScan scan = ScanWal(log, 8192);
  EXPECT_GT(scan.committed, 8U);
  log[scan.frames[scan.committed / 2].at + 100] ^= 1;
  return files;
}

class StoreRepair : public ::testing::Test {
 protected:
  StoreRepair() : left_(LeftBehind({})) {}

  std::string Refusal() {
    const auto store = SqliteStore::Open(folder_.path());
    return store.has_value() ? "it was opened" : store.error().message;
  }

  const Left left_;
  TestFolder folder_;
};

TEST_F(StoreRepair, ADamagedLogIsNamedAndNothingIsGivenOutTwice) {
  const Files files = DamagedLog(left_);
  WriteFiles(folder_.path(), files);
  const std::string newest = std::to_string(left_.newest.value());
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("it has lost changes: it ends at revision "),
                    HasSubstr("changes up to revision " + newest + " were answered"),
                    HasSubstr("-wal is damaged behind byte "),
                    HasSubstr("`dray store repair`")));
  const auto found = Verify(folder_.path());
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->problem_count, 1U);
  EXPECT_FALSE(Backup(folder_.path(), folder_.path() + "/backup.db").has_value());
  EXPECT_FALSE(CompactFolder(folder_.path()).has_value());
  EXPECT_EQ(ReadFiles(folder_.path()), files) << "looking changes nothing";

  const auto report = Repair(folder_.path(), {.new_id = 7, .skip_revisions = 1000});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->was_sound);
  EXPECT_EQ(report->known, left_.newest);
  EXPECT_LT(report->readable, left_.newest);
  EXPECT_GT(report->changes_saved, 0U);
  EXPECT_EQ(report->status.newest, Revision{left_.newest.value() + 1000});
  EXPECT_EQ(report->set_aside.size(), 3U);

  const auto store = SqliteStore::Open(folder_.path());
  ASSERT_TRUE(store.has_value()) << store.error().message;
  std::vector<std::string> state = AllOfStore(**store);
  state.pop_back();
  for (const std::string& text : state) EXPECT_THAT(left_.state, Contains(text));
  EXPECT_THAT(state, Contains(HasSubstr("/r/other=11")));
  EXPECT_EQ(Do(**store, PutOf("k", "v")).revision, Revision{left_.newest.value() + 1001});
}

TEST_F(StoreRepair, WithoutANoteTwoCommitsBehindADamagedPageAreALoss) {
  Files files = DamagedLog(left_);
  files.erase("-answered");
  WriteFiles(folder_.path(), files);
  EXPECT_THAT(Refusal(), HasSubstr("stand in its log"));
}

TEST_F(StoreRepair, ALostLogLeavesWhatTheFileHasAndSaysSo) {
  Files files = left_.files;
  files.erase("-wal");
  WriteFiles(folder_.path(), files);
  EXPECT_THAT(Refusal(), HasSubstr("-wal is empty"));
  const auto report = Repair(folder_.path(), {.new_id = 7, .skip_revisions = 1000});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_THAT(
      report->losses,
      Contains(HasSubstr(fmt::format("to {}: their changes are unknown", left_.newest.value()))));
  const auto store = SqliteStore::Open(folder_.path());
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ((*store)->Read()->revision(), Revision{left_.newest.value() + 1000});
}

TEST_F(StoreRepair, OfAFileWhoseTablesCannotBeReadRecordsAreGathered) {
  const Left left = LeftBehind({.checkpoint_pages = 2});
  Files files = left.files;
  files[""].replace(0, 4096, 4096, '\0');
  WriteFiles(folder_.path(), files);
  EXPECT_THAT(Refusal(), HasSubstr(StoreFile(folder_.path())));
  const auto report = Repair(folder_.path(), {.new_id = 7});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  const auto store = SqliteStore::Open(folder_.path());
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_THAT(AllOfStore(**store), Contains(HasSubstr("/r/other=11")));
}

TEST_F(StoreRepair, ASoundStoreStaysAsItIs) {
  WriteFiles(folder_.path(), left_.files);
  const auto report = Repair(folder_.path(), {.new_id = 7});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->was_sound);
  EXPECT_EQ(ReadFiles(folder_.path()), left_.files);
  const TestFolder other;
  EXPECT_EQ(Repair(other.path(), {}).error().reason, StatusReason::kNotFound);
  WriteFiles(other.path(), {{"", "no store, only a text under this name"}});
  EXPECT_EQ(Repair(other.path(), {}).error().reason, StatusReason::kInvalid);
}

TEST_F(StoreRepair, WhatWasAnsweredIsReadFromTheNewerOfTwoNotes) {
  const std::string file = folder_.path() + "/some.db";
  EXPECT_FALSE(ReadAnswered(file).has_value());
  AnsweredWriter writer(file, "000000000000002a", Revision{5});
  writer.Note(Revision{9});
  writer.Note(Revision{7});  // lower, so not noted
  ASSERT_TRUE(ReadAnswered(file).has_value());
  EXPECT_EQ(ReadAnswered(file)->revision, Revision{9});
  EXPECT_EQ(ReadAnswered(file)->store, 42U);
  EXPECT_TRUE(RemoveAnswered(file).has_value());
  EXPECT_FALSE(ReadAnswered(file).has_value());
}

}  // namespace
}  // namespace dray::store::sqlite
