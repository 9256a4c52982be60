// SPDX-License-Identifier: Apache-2.0
// The operators' functions on an unused folder, on one that a server uses, and on damaged ones.
#include "store/sqlite/maintenance.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/sqlite/database.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/store_path.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::Bytes;
using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Text;
using store::testing::Texts;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestFolder;

std::unique_ptr<SqliteStore> OpenStore(const std::string& folder,
                                       const SqliteOptions& options = {}) {
  Result<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(folder, {.new_id = 0x11}, options);
  if (!store.has_value()) ADD_FAILURE() << store.error().message;
  return store.has_value() ? *std::move(store) : nullptr;
}

/// Two live keys, one deleted, seven revisions.
void Fill(Store& store) {
  Do(store, PutOf("/r/pods/a", "1"));
  Do(store, PutOf("/r/pods/b", "1"));
  Do(store, PutOf("/r/pods/a", "2"));
  Do(store, DeleteOf("/r/pods/b"));
  Do(store, PutOf("/r/leases/c", "1"));
  Do(store, PutOf("/r/pods/a", "3"));
}

std::vector<std::string> DumpOf(const std::string& path, const DumpOptions& options = {}) {
  std::vector<std::string> lines;
  const Result<> done = Dump(path, options, [&](const DumpedRecord& record) -> Result<> {
    lines.push_back(std::to_string(record.revision.value()) + "." + std::to_string(record.ordinal) +
                    " " + std::string(record.key) +
                    (record.is_deletion ? " gone" : "=" + std::string(record.value)) + " @" +
                    std::to_string(record.created.value()) + "/" + std::to_string(record.version) +
                    " was " + std::to_string(record.replaced.value()));
    return {};
  });
  if (!done.has_value()) lines.push_back(done.error().message);
  return lines;
}

class SqliteMaintenance : public ::testing::Test {
 protected:
  const std::string& folder() const { return folder_.path(); }
  std::string file() const { return StoreFile(folder()); }
  std::string beside(std::string_view name) const {
    return beside_.path() + "/" + std::string(name);
  }

  void Change(const std::string& sql) const {
    const auto database = Database::Open(file(), Database::Access::kWrite, "", 1000);
    const Result<> done = (*database)->Execute(sql);
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  void RemoveStore() const {
    for (const char* part : {"", "-wal", "-shm", "-answered"})
      std::filesystem::remove(file() + part);
  }
  std::vector<std::string> Problems() const {
    const Result<VerifyReport> report = Verify(folder());
    if (!report.has_value()) return {report.error().message};
    EXPECT_EQ(report->problem_count, report->problems.size());
    return report->problems;
  }

 private:
  const TestFolder folder_;
  const TestFolder beside_;
};

TEST_F(SqliteMaintenance, StatusCounts) {
  const auto store = OpenStore(folder());
  Fill(*store);
  const Result<FileStatus> served = StatusOf(folder());
  ASSERT_TRUE(served.has_value()) << served.error().message;
  EXPECT_EQ(served->file, file());
  EXPECT_EQ(served->id, "0000000000000011");
  EXPECT_EQ(served->schema_version, 1);
  EXPECT_EQ(served->newest, Revision{7});
  EXPECT_EQ(served->floor, Revision{1});
  EXPECT_EQ(served->keys, 2U);
  EXPECT_EQ(served->rows, 6U);
  EXPECT_GT(served->file_bytes, 0U);
  EXPECT_EQ(served->owner, getpid());
}

TEST_F(SqliteMaintenance, PathsThatHoldNoStore) {
  EXPECT_EQ(StatusOf(folder()).error().reason, StatusReason::kNotFound);
  EXPECT_THAT(StatusOf(folder()).error().message, HasSubstr("the folder " + folder() + " has no"));
  EXPECT_EQ(StatusOf(beside("no")).error().message,
            "there is no folder or file " + beside("no") + ": name a data folder or a backup");
  EXPECT_EQ(CompactFolder(folder()).error().reason, StatusReason::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(file())) << "nothing was made";
  std::ofstream(beside("text")) << std::string(9000, 't');
  EXPECT_EQ(Verify(beside("text")).error().reason, StatusReason::kInvalid);
  std::ofstream(beside("empty")).flush();
  EXPECT_EQ(StatusOf(beside("empty")).error().reason, StatusReason::kNotFound);
}

TEST_F(SqliteMaintenance, DumpsWhatLivesAndTheWholeLog) {
  const auto store = OpenStore(folder(), {.fold_revisions = 3});
  Fill(*store);
  EXPECT_THAT(DumpOf(folder()),
              ElementsAre("6.0 /r/leases/c=1 @6/1 was 0", "7.0 /r/pods/a=3 @2/3 was 4"));
  EXPECT_THAT(DumpOf(folder(), {.prefix = "/r/pods/"}), ElementsAre("7.0 /r/pods/a=3 @2/3 was 4"));
  EXPECT_THAT(DumpOf(folder(), {.what = DumpOptions::What::kLog, .prefix = "/r/pods/"}),
              ElementsAre("2.0 /r/pods/a=1 @2/1 was 0",
                          "3.0 /r/pods/b=1 @3/1 was 0",
                          "4.0 /r/pods/a=2 @2/2 was 2",
                          "5.0 /r/pods/b gone @3/1 was 3",
                          "7.0 /r/pods/a=3 @2/3 was 4"));
}

TEST_F(SqliteMaintenance, ADumpEndsWithItsSinksError) {
  Fill(*OpenStore(folder()));
  int seen = 0;
  const Result<> done = Dump(folder(), {}, [&](const DumpedRecord&) -> Result<> {
    ++seen;
    return Fail(StatusReason::kInternalError, "the pipe is closed");
  });
  EXPECT_EQ(done.error().message, "the pipe is closed");
  EXPECT_EQ(seen, 1);
}

TEST_F(SqliteMaintenance, VerifyFindsNothingInASoundStore) {
  const auto store = OpenStore(folder());
  Fill(*store);
  EXPECT_THAT(Problems(), IsEmpty()) << "while it is served";
  const Result<VerifyReport> report = Verify(folder());
  EXPECT_EQ(report->newest, Revision{7});
  EXPECT_EQ(report->keys, 2U);
  EXPECT_EQ(report->rows, 6U);
}

TEST_F(SqliteMaintenance, VerifyFindsEachKindOfDamage) {
  struct Case {
    std::string name, sql, problem;
  };
  const std::vector<Case> cases = {
      {"checksum",
       "UPDATE log SET value='9' WHERE position>>10=7",
       "checksum of /r/pods/a at revision 7"},
      {"lost row",
       "DELETE FROM log WHERE position>>10=4",
       "after revision 3 there is no record until revision 5"},
      {"lost link",
       "DELETE FROM log WHERE position>>10=4",
       "/r/pods/a at revision 7 replaces revision 4, but the key's last one is 2"},
      {"unknown live key",
       "INSERT INTO live VALUES (CAST('/r/x' AS BLOB), 3)",
       "/r/x is in the table of live keys, but not in the log"},
      {"lost live key",
       "UPDATE meta SET value=7 WHERE name='folded'",
       "/r/pods/a lives at revision 7, but is not in the table of live keys"},
      {"stale live key",
       "UPDATE meta SET value=7 WHERE name='folded';"
       "INSERT INTO live VALUES (CAST('/r/pods/a' AS BLOB), 4)",
       "/r/pods/a lives at revision 7, but the table of live keys says 4"},
      {"meta", "DELETE FROM meta WHERE name='id'", "its table meta cannot be"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    RemoveStore();
    Fill(*OpenStore(folder()));
    Change(each.sql);
    EXPECT_THAT(Problems(), ::testing::Contains(HasSubstr(each.problem)));
  }
}

TEST_F(SqliteMaintenance, VerifyNamesTheFirstProblemsAndCountsAll) {
  constexpr size_t kMax = VerifyReport::kProblemsMax;
  for (const size_t count : {kMax, kMax + 1}) {
    RemoveStore();
    Fill(*OpenStore(folder()));
    std::string keys;  // that are not in the log
    for (size_t i = 0; i < count; ++i) {
      keys += "INSERT INTO live VALUES (CAST('/x/" + std::to_string(i) + "' AS BLOB), 3);";
    }
    Change(keys);
    const Result<VerifyReport> report = Verify(folder());
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->problem_count, count);
    EXPECT_EQ(report->problems.size(), kMax);
  }
}

TEST_F(SqliteMaintenance, VerifyFindsDamagedStructure) {
  {
    const auto store = OpenStore(folder());
    for (int i = 0; i < 200; ++i) Do(*store, PutOf(std::to_string(i), std::string(1000, 'v')));
  }
  std::fstream raw(file(), std::ios::in | std::ios::out | std::ios::binary);
  constexpr int kPage = 8192;
  raw.seekp(7 * kPage);
  raw << std::string(kPage, '\xee');
  raw.close();
  EXPECT_THAT(Problems(), Not(IsEmpty()));
  EXPECT_THAT(Problems(), ::testing::Contains(AllOf(HasSubstr("structure"))));
}

TEST_F(SqliteMaintenance, ABackupIsOneCompleteFileAndTheServerGoesOn) {
  const auto store = OpenStore(folder());
  Fill(*store);
  std::vector<uint64_t> done_pages;
  const Result<FileStatus> status =
      Backup(folder(), beside("backup"), {.progress = [&](uint64_t done, uint64_t all) {
               EXPECT_LE(done, all);
               done_pages.push_back(done);
               Do(*store, PutOf("/r/during", "backup"));  // in the middle of the copy
               return true;
             }});
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->newest, Revision{7}) << "of the moment it began";
  EXPECT_THAT(done_pages, Not(IsEmpty()));
  EXPECT_THAT(DumpOf(beside("backup")),
              ElementsAre("6.0 /r/leases/c=1 @6/1 was 0", "7.0 /r/pods/a=3 @2/3 was 4"));
  EXPECT_EQ(Verify(beside("backup"))->problem_count, 0U);
  for (const char* part : {"-wal", "-shm", "-journal", ".partial"}) {
    EXPECT_FALSE(std::filesystem::exists(beside("backup") + part)) << part;
  }
  EXPECT_EQ(StatusOf(beside("backup"))->owner, std::nullopt);
  EXPECT_EQ(Backup(folder(), beside("backup")).error().reason, StatusReason::kAlreadyExists);
}

TEST_F(SqliteMaintenance, ABackupUnderLoadIsSound) {
  const auto store = OpenStore(folder(), {.fold_revisions = 16, .compact_revisions = 8});
  Do(*store, PutOf("/r/first", "v"));
  const std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      Do(*store, PutOf("/r/" + std::to_string(i % 40), std::string(500, 'v')));
    }
  });
  for (int i = 0; i < 5; ++i) {
    const std::string name = beside("backup" + std::to_string(i));
    const Result<FileStatus> status = Backup(folder(), name);
    ASSERT_TRUE(status.has_value()) << status.error().message;
    const Result<VerifyReport> report = Verify(name);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_THAT(report->problems, IsEmpty());
  }
}

TEST_F(SqliteMaintenance, ABackupGivenUpLeavesNothing) {
  Fill(*OpenStore(folder()));
  const auto refuse = [](uint64_t, uint64_t) { return false; };
  EXPECT_THAT(Backup(folder(), beside("backup"), {.progress = refuse}).error().message,
              HasSubstr("was given up"));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(beside("x")).parent_path()));
  EXPECT_EQ(Backup(folder(), beside("no/such/backup")).error().reason, StatusReason::kForbidden);
}

TEST_F(SqliteMaintenance, RestoreMakesAStoreOfItsOwn) {
  Fill(*OpenStore(folder()));
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value());
  const Result<FileStatus> status =
      Restore(beside("backup"), beside("restored"), {.new_id = 0x22, .skip_revisions = 100});
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->id, "0000000000000022");
  EXPECT_EQ(status->newest, Revision{107});
  EXPECT_EQ(Verify(beside("restored"))->problem_count, 0U);
  {
    const auto store = OpenStore(beside("restored"));
    EXPECT_THAT(Texts(store->Read()->Range({})),
                ElementsAre("/r/leases/c=1@6/6/1", "/r/pods/a=3@2/7/3"));
    EXPECT_EQ(store->EventsAfter(Revision{7}, "", 9).error().reason, StatusReason::kExpired);
    EXPECT_EQ(Do(*store, PutOf("/r/pods/a", "4")).revision, Revision{108});
  }
  const auto again = OpenStore(beside("restored"));
  EXPECT_EQ(Text(*again->Read()->Find("/r/pods/a")), "/r/pods/a=4@2/108/4");
  EXPECT_EQ(Verify(beside("restored"))->problem_count, 0U);
}

TEST_F(SqliteMaintenance, RestoreGivenUpChangesNothing) {
  Fill(*OpenStore(folder()));
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value());
  Do(*OpenStore(folder()), PutOf("/r/later", "v"));
  for (int steps = 0; steps < 2; ++steps) {  // before the copy, and in the middle of it
    int left = steps;
    const RestoreOptions options{
        .new_id = 3, .overwrite = true, .progress = [&](uint64_t, uint64_t) { return left-- > 0; }};
    EXPECT_THAT(Restore(beside("backup"), folder(), options).error().message,
                HasSubstr("was given up"));
    EXPECT_EQ(StatusOf(folder())->newest, Revision{8});
    EXPECT_FALSE(std::filesystem::exists(StoreFile(folder()) + ".partial"));
  }
}

TEST_F(SqliteMaintenance, RestoreKeepsHistoryUnlessToldToSkip) {
  Fill(*OpenStore(folder()));
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value());
  ASSERT_TRUE(Restore(beside("backup"), beside("restored"), {.new_id = 2}).has_value());
  EXPECT_EQ(OpenStore(beside("restored"))->EventsAfter(Revision{5}, "", 9)->events.size(), 2U);
}

TEST_F(SqliteMaintenance, RestoreReplacesAStoreOnlyWhenTold) {
  Fill(*OpenStore(folder()));
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value());
  {
    const auto store = OpenStore(folder());
    Do(*store, PutOf("/r/later", "v"));
    const Error used =
        Restore(beside("backup"), folder(), {.new_id = 3, .overwrite = true}).error();
    EXPECT_EQ(used.reason, StatusReason::kServiceUnavailable) << "a server uses it";
  }
  const Result<FileStatus> refused = Restore(beside("backup"), folder(), {.new_id = 3});
  EXPECT_EQ(refused.error().reason, StatusReason::kAlreadyExists);
  EXPECT_EQ(StatusOf(folder())->newest, Revision{8});
  ASSERT_TRUE(Restore(beside("backup"), folder(), {.new_id = 3, .overwrite = true}).has_value());
  EXPECT_EQ(StatusOf(folder())->newest, Revision{7});
  EXPECT_EQ(OpenStore(folder())->Read()->Find("/r/later"), nullptr);
}

TEST_F(SqliteMaintenance, RestoreIgnoresTheLogOfWhatItReplaces) {
  Fill(*OpenStore(folder()));
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value());
  std::filesystem::create_directory(beside("killed"));
  {
    const auto store = OpenStore(folder());
    for (int i = 0; i < 50; ++i) Do(*store, PutOf("/r/later", std::string(5000, 'v')));
    // The files of a killed server: a store, and a log that has not been copied into it.
    for (const char* part : {"", "-wal"}) {
      std::filesystem::copy(file() + part, StoreFile(beside("killed")) + part);
    }
  }
  ASSERT_TRUE(
      Restore(beside("backup"), beside("killed"), {.new_id = 4, .overwrite = true}).has_value());
  EXPECT_EQ(Verify(beside("killed"))->problem_count, 0U);
  EXPECT_EQ(OpenStore(beside("killed"))->Read()->Find("/r/later"), nullptr);
}

TEST_F(SqliteMaintenance, RestoreRefusesADamagedBackup) {
  Fill(*OpenStore(folder()));
  Change("UPDATE log SET value='9' WHERE position>>10=7");
  ASSERT_TRUE(Backup(folder(), beside("backup")).has_value()) << "a copy of what is there";
  const Error error = Restore(beside("backup"), beside("restored"), {.new_id = 5}).error();
  EXPECT_THAT(error.message, AllOf(HasSubstr("is damaged (1 problems"), HasSubstr("checksum")));
  EXPECT_FALSE(std::filesystem::exists(beside("restored")));
}

TEST_F(SqliteMaintenance, CompactionForgetsHistoryAndGivesSpaceBack) {
  {
    const auto store = OpenStore(folder());
    for (int i = 0; i < 500; ++i) {
      Do(*store, PutOf("/r/" + std::to_string(i % 10), std::string(2000, 'v')));
    }
  }
  const uint64_t before = StatusOf(folder())->file_bytes;
  EXPECT_EQ(CompactFolder(folder(), Revision{502}).error().reason, StatusReason::kTimeout);
  const Result<FileStatus> half = CompactFolder(folder(), Revision{251});
  ASSERT_TRUE(half.has_value()) << half.error().message;
  EXPECT_EQ(half->floor, Revision{251});
  EXPECT_EQ(half->rows, 260U);
  EXPECT_LT(half->file_bytes, before * 2 / 3);
  EXPECT_EQ(OpenStore(folder())->status().floor, Revision{251});
  EXPECT_EQ(CompactFolder(folder(), Revision{9})->floor, Revision{251}) << "lower changes nothing";
  const Result<FileStatus> all = CompactFolder(folder());
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_EQ(all->rows, 10U);
  EXPECT_EQ(all->free_bytes, 0U);
  EXPECT_EQ(Verify(folder())->problem_count, 0U);
  EXPECT_EQ(OpenStore(folder())->Read()->size(), 10U);
}

TEST_F(SqliteMaintenance, CompactionNeedsTheFolderToItself) {
  const auto store = OpenStore(folder());
  Fill(*store);
  EXPECT_EQ(CompactFolder(folder()).error().reason, StatusReason::kServiceUnavailable);
  EXPECT_EQ(CompactFolder(file()).error().reason, StatusReason::kInvalid);
}

TEST_F(SqliteMaintenance, AServerCompactsByItself) {
  {
    const auto store = *SqliteStore::Open(
        folder(), {.events_max = 20}, {.fold_revisions = 10, .compact_revisions = 10});
    for (int i = 0; i < 400; ++i) {
      Do(*store, PutOf("/r/" + std::to_string(i % 10), std::string(2000, 'v')));
    }
    while (StatusOf(folder())->rows > 60) Do(*store, PutOf("/r/0", "v"));
  }
  EXPECT_EQ(Verify(folder())->problem_count, 0U);
}

/// The file that schema version 1 left behind: made once, by MakeOldFile below, and never again. A
/// later version opens it or says what to do instead.
TEST_F(SqliteMaintenance, TheFileOfSchemaVersion1Opens) {
  const std::string old = std::string(DRAY_SOURCE_DIR) + "/tests/data/store/schema-v1.db";
  std::filesystem::copy(old, file());
  std::filesystem::permissions(
      file(), std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  EXPECT_THAT(Problems(), IsEmpty());
  const auto store = OpenStore(folder());
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->status().id, "0000000000000011");
  const std::string binary("/r/bin/\0\xff=\0@8/8/1", 17);
  EXPECT_THAT(
      Texts(store->Read()->Range({})),
      ElementsAre(binary, "/r/events/e=e@8/8/1", "/r/leases/c=1@6/6/1", "/r/pods/a=3@2/7/3"));
  EXPECT_THAT(Texts(*store->EventsAfter(Revision{4}, "", 9)),
              ElementsAre("-/r/pods/b=1@3/5/1",
                          "+/r/leases/c=1@6/6/1",
                          "~/r/pods/a=3@2/7/3",
                          "+/r/events/e=e@8/8/1",
                          "+" + binary));
  EXPECT_EQ(store->status().next_expiry, WallTime(std::chrono::seconds(1'700'000'000)));
  EXPECT_EQ(Do(*store, PutOf("/r/pods/a", "4")).revision, Revision{9});
}

/// The contents of each schema version's file. With DRAY_MAKE_STORE_FILE=<file> the test writes
/// them there, for the next version's tests/data/store/.
TEST_F(SqliteMaintenance, MakesTheFileThatLaterVersionsMustOpen) {
  {
    const auto store = OpenStore(folder(), {.fold_revisions = 3});
    Fill(*store);
    const WallTime expiry(std::chrono::seconds(1'700'000'000));
    const std::string binary("/r/bin/\0\xff", 9);
    Do(*store,
       {.compares = {},
        .operations = {Put{.key = "/r/events/e", .value = Bytes("e"), .expiry = expiry},
                       Put{.key = binary, .value = Bytes(std::string_view("\0", 1))}}});
  }
  EXPECT_THAT(Problems(), IsEmpty());
  const char* target = std::getenv("DRAY_MAKE_STORE_FILE");  // NOLINT(concurrency-mt-unsafe)
  if (target != nullptr) std::filesystem::copy(file(), target);
}

}  // namespace
}  // namespace dray::store::sqlite
