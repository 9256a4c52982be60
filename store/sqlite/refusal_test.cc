// SPDX-License-Identifier: Apache-2.0
// Everything that a store refuses. Each has its own error, and nothing has changed.
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/record.h"
#include "store/sqlite/database.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::sqlite {
namespace {

using store::testing::DeleteOf;
using store::testing::Do;
using store::testing::If;
using store::testing::PutOf;
using store::testing::Refused;
using store::testing::Text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TestFolder;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The error of opening the store in `folder`.
Error Refusal(const std::string& folder, const SqliteOptions& options = {}) {
  const auto store = SqliteStore::Open(folder, {}, options);
  return store.has_value() ? Error{.message = "it was opened"} : store.error();
}

/// Runs `body` in a process of its own and returns its result; `then` runs before waiting for its
/// end.
std::string InAnotherProcess(const std::function<std::string()>& body) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string said = body();
    const bool written = write(pipe_ends[1], said.data(), said.size()) >= 0;
    _exit(written ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::string said;
  std::array<char, 512> part{};
  for (ssize_t size = 0; (size = read(pipe_ends[0], part.data(), part.size())) > 0;) {
    said.append(part.data(), static_cast<size_t>(size));
  }
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return said;
}

/// Opens the store as the user nobody, who owns no files, even if the tests run as root.
Error RefusalForNobody(const std::string& folder) {
  const std::string said = InAnotherProcess([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
      return std::string("cannot become nobody");
    }
    const Error error = Refusal(folder);
    return std::string(ReasonName(error.reason)) + ": " + error.message;
  });
  const size_t colon = said.find(": ");
  return {
      .reason = said.starts_with("Forbidden:") ? StatusReason::kForbidden : StatusReason::kUnknown,
      .message = colon == std::string::npos ? said : said.substr(colon + 2)};
}

void ExpectStillWorks(const TestFolder& folder) {
  const auto store = SqliteStore::Open(folder.path());
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ(Text(*(*store)->Read()->Find("k")), "k=v@2/2/1");
}

class SqliteRefusal : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = SqliteStore::Open(folder_.path());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    Do(**store, PutOf("k", "v"));
  }
  std::string file() const { return StoreFile(folder_.path()); }

  /// Runs SQL on the closed file.
  void Change(const std::string& sql) const {
    const auto database = Database::Open(file(), Database::Access::kWrite, "", 1000);
    ASSERT_TRUE((*database)->Execute(sql).has_value());
  }

  TestFolder folder_;
};

TEST_F(SqliteRefusal, ASecondStoreInThisProcess) {
  {
    const auto first = SqliteStore::Open(folder_.path());
    const Error error = Refusal(folder_.path());
    EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
    EXPECT_EQ(error.message,
              "the data folder " + folder_.path() +
                  " is in use by another store of this process (" + std::to_string(getpid()) +
                  "): stop that one, or name another folder");
  }
  ExpectStillWorks(folder_);
}

TEST_F(SqliteRefusal, ASecondProcessAndNamesTheFirst) {
  const auto lock = FolderLock::Take(folder_.path());
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(OwnerOf(folder_.path()), getpid());
  const std::string said = InAnotherProcess([&] { return Refusal(folder_.path()).message; });
  EXPECT_THAT(said, HasSubstr("is in use by process " + std::to_string(getpid())));
}

TEST_F(SqliteRefusal, NobodyWhoOnlyAsksForTheOwner) {
  const std::jthread asking([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(OwnerOf(folder_.path()));
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(FolderLock::Take(folder_.path()).has_value()) << i;
  }
}

TEST_F(SqliteRefusal, TheLockEndsWithItsOwner) {
  std::optional<FolderLock> lock;  // the other process exits without releasing it
  const std::string said = InAnotherProcess([&] {
    lock.emplace(*FolderLock::Take(folder_.path()));
    return std::string("taken");
  });
  EXPECT_EQ(said, "taken");
  EXPECT_EQ(OwnerOf(folder_.path()), std::nullopt);
  ExpectStillWorks(folder_);
}

TEST_F(SqliteRefusal, ANewerSchemaNamesBothVersions) {
  Change("PRAGMA user_version=2");
  const std::string before = ReadFile(file());
  const Error error = Refusal(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kInvalid);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr(file()), HasSubstr("schema version 2"), HasSubstr("up to 1")));
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(SqliteRefusal, ASchemaVersionThatNeverWas) {
  Change("PRAGMA user_version=-3");
  EXPECT_THAT(Refusal(folder_.path()).message, HasSubstr("its schema version is -3"));
}

TEST_F(SqliteRefusal, AnotherProgramsDatabase) {
  Change("PRAGMA application_id=17");
  const std::string before = ReadFile(file());
  const Error error = Refusal(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kInvalid);
  EXPECT_THAT(error.message, HasSubstr(file() + " is an SQLite file, but not a store of Dray"));
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(SqliteRefusal, AFileThatIsNoDatabase) {
  const std::string text(10'000, 'x');
  WriteBytes(file(), text);
  const Error error = Refusal(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kInvalid);
  EXPECT_THAT(error.message, HasSubstr(file() + " is not a store of Dray"));
  EXPECT_EQ(ReadFile(file()), text);
}

TEST_F(SqliteRefusal, AFolderThatMayNotBeWritten) {
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  std::filesystem::remove(folder_.path() + "/dray.lock");
  const Error error = RefusalForNobody(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kForbidden);
  EXPECT_THAT(error.message,
              HasSubstr("the data folder " + folder_.path() + " cannot be written (Permission"));
  ExpectStillWorks(folder_);
}

TEST_F(SqliteRefusal, AFileThatMayNotBeRead) {
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  std::filesystem::remove(folder_.path() + "/dray.lock");
  ASSERT_EQ(chmod(file().c_str(), 0000), 0);
  const Error error = RefusalForNobody(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kForbidden);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file()), HasSubstr("check that")));
}

TEST_F(SqliteRefusal, AFileThatMayOnlyBeRead) {
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  std::filesystem::remove(folder_.path() + "/dray.lock");
  ASSERT_EQ(chmod(file().c_str(), 0444), 0);
  const Error error = RefusalForNobody(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kForbidden);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file()), HasSubstr("may not be written")));
}

TEST_F(SqliteRefusal, AFlippedBitInAValue) {
  std::string bytes = ReadFile(file());
  {
    const auto store = SqliteStore::Open(folder_.path());
    Do(**store, PutOf("/r/pods/broken", "a value to be found again"));
  }
  bytes = ReadFile(file());
  const size_t at = bytes.find("a value to be found again");
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  WriteBytes(file(), bytes);
  const Error error = Refusal(folder_.path());
  EXPECT_EQ(error.reason, StatusReason::kInternalError);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr(file() + " is corrupt"),
                    HasSubstr("the checksum of /r/pods/broken at revision 3 is wrong"),
                    HasSubstr("dray store verify"),
                    HasSubstr("dray store restore")));
  EXPECT_EQ(ReadFile(file()), bytes);
}

TEST_F(SqliteRefusal, AFileThatIsCutOff) {
  {
    const auto store = SqliteStore::Open(folder_.path());
    for (int i = 0; i < 100; ++i) Do(**store, PutOf(std::to_string(i), std::string(2000, 'v')));
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
  EXPECT_THAT(Refusal(folder_.path()).message,
              AllOf(HasSubstr(file() + " is corrupt"), HasSubstr("dray store restore")));
}

// A flipped bit in the text of a CREATE TABLE.
TEST_F(SqliteRefusal, AColumnWithAnotherName) {
  std::string bytes = ReadFile(file());
  const size_t at = bytes.find("expiry INTEGER");
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 4;
  WriteBytes(file(), bytes);
  EXPECT_THAT(Refusal(folder_.path()).message,
              AllOf(HasSubstr(file() + " is corrupt: its tables are damaged"),
                    HasSubstr("`dray store repair`")));
  const auto report = Verify(folder_.path());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->problem_count, 1);  // and not one for each live key
}

TEST_F(SqliteRefusal, ALiveKeyWithoutARecord) {
  Change(
      "DELETE FROM log; UPDATE meta SET value=2 WHERE name IN ('floor', 'folded');"
      "INSERT INTO live VALUES (CAST('k' AS BLOB), 2)");
  EXPECT_THAT(Refusal(folder_.path()).message,
              HasSubstr("the record of k at revision 2 is not in the log"));
}

TEST_F(SqliteRefusal, ALogWithAHole) {
  {
    const auto store = SqliteStore::Open(folder_.path());
    for (int i = 0; i < 3; ++i) Do(**store, PutOf("k", "w"));
  }
  Change("DELETE FROM log WHERE position >> 10 = 4");
  EXPECT_THAT(Refusal(folder_.path()).message, HasSubstr("revision 4 is not in the log"));
}

TEST_F(SqliteRefusal, ATableMetaThatCannotBe) {
  Change("UPDATE meta SET value=9 WHERE name='compacted'");
  EXPECT_THAT(Refusal(folder_.path()).message,
              HasSubstr("its table meta cannot be (id 0000000000000001, floor 1, folded 1, "
                        "compacted 9)"));
}

/// A value whose size() differs from the size of its bytes.
class Estimated final : public Value {
 public:
  Estimated(size_t estimate, size_t size) : estimate_(estimate), bytes_(size, 'v') {}
  std::string bytes() const override { return bytes_; }
  size_t size() const override { return estimate_; }

 private:
  const size_t estimate_;
  const std::string bytes_;
};

Result<CommitOutcome> PutValue(Store& store, Frozen<Value> value) {
  return store.CommitAndWait(
      {.compares = {}, .operations = {Put{.key = "big", .value = std::move(value)}}});
}

TEST_F(SqliteRefusal, AValueWhoseBytesAreTooMany) {
  const auto store = *SqliteStore::Open(folder_.path());
  EXPECT_TRUE(PutValue(*store, std::make_shared<const Estimated>(1, kValueBytesMax)).has_value());
  const auto refused = PutValue(*store, std::make_shared<const Estimated>(1, kValueBytesMax + 1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(refused.error().message, "the value of big has 1572865 bytes, the limit is 1572864");
  EXPECT_EQ(store->Read()->revision(), Revision{3});
}

TEST_F(SqliteRefusal, AValueWithoutDurableForm) {
  const auto store = *SqliteStore::Open(folder_.path());
  const auto refused = PutValue(*store, std::make_shared<const Estimated>(5, 0));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, StatusReason::kInternalError);
  EXPECT_EQ(refused.error().message, "the value of big has no durable form");
  EXPECT_EQ(store->Read()->revision(), Revision{2});
}

TEST_F(SqliteRefusal, AFullDisk) {
  int64_t written = 0;
  {
    const auto store = *SqliteStore::Open(folder_.path(), {}, {.pages_max = 40});
    const std::string value(5000, 'v');
    while (true) {
      const auto outcome = store->CommitAndWait(PutOf(std::to_string(written), value));
      if (!outcome.has_value()) {
        EXPECT_EQ(outcome.error().reason, StatusReason::kServiceUnavailable);
        EXPECT_THAT(outcome.error().message,
                    AllOf(HasSubstr(file() + ": no space is left"), HasSubstr("free some")));
        break;
      }
      ASSERT_LT(++written, 1000);
    }
    EXPECT_GT(written, 10);
    EXPECT_EQ(store->Read()->revision(), Revision{2 + written});
    EXPECT_EQ(store->status().failure, "") << "room may be made";
    // A conflict is reported even without room.
    EXPECT_TRUE(Refused(*store, If("k", kAbsent, DeleteOf("k"))).has_value());
    EXPECT_FALSE(store->CommitAndWait(PutOf("again", value)).has_value());
    EXPECT_EQ(store->Read()->size(), static_cast<size_t>(1 + written));
  }
  const auto store = *SqliteStore::Open(folder_.path());
  EXPECT_EQ(store->Read()->revision(), Revision{2 + written});
  EXPECT_EQ(Do(*store, PutOf("again", "v")).revision, Revision{3 + written});
}

}  // namespace
}  // namespace dray::store::sqlite
