// SPDX-License-Identifier: Apache-2.0
// Backup and Restore. Both copy with SQLite's backup functions into a file beside the one wanted,
// which takes its name in one step when it is complete and synced.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/loss.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/options.h"
#include "store/sqlite/partial_file.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store_path.h"

namespace dray::store::sqlite {
namespace {

/// Pages copied between calls of BackupOptions::progress: 8 MiB.
constexpr int kPagesPerStep = 1024;

Failure GivenUp(const std::string& file) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("the copy to {} was given up; nothing is left of it", file));
}

Result<> CopyPages(Database& from, Database& to, const BackupOptions& options) {
  const std::unique_ptr<sqlite3_backup, int (*)(sqlite3_backup*)> copy(
      sqlite3_backup_init(to.handle(), "main", from.handle(), "main"), sqlite3_backup_finish);
  if (copy == nullptr) {
    return Fail(to.ErrorOf(sqlite3_extended_errcode(to.handle()), "beginning the copy"));
  }
  while (true) {
    const int code = sqlite3_backup_step(copy.get(), kPagesPerStep);
    if (code != SQLITE_OK && code != SQLITE_DONE) {
      return Fail(to.ErrorOf(code, fmt::format("copying {} to it", from.file())));
    }
    const auto all = static_cast<uint64_t>(sqlite3_backup_pagecount(copy.get()));
    const auto left = static_cast<uint64_t>(sqlite3_backup_remaining(copy.get()));
    if (options.progress && !options.progress(all - left, all)) return GivenUp(to.file());
    if (code == SQLITE_DONE) return {};
  }
}

/// Copies the store of `from`, changes the copy, and leaves one synced file without a log.
Result<> CopyStore(Database& from,
                   const std::string& to,
                   const BackupOptions& options,
                   const std::function<Result<>(Database&)>& change) {
  DRAY_TRY(const std::unique_ptr<Database> copy,
           Database::Open(to, Database::Access::kWrite, "", SqliteOptions{}.busy_wait_ms));
  DRAY_TRY_VOID(CopyPages(from, *copy, options));
  DRAY_TRY_VOID(copy->Execute("PRAGMA journal_mode=DELETE"));
  return change(*copy);
}

bool Exists(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

Result<> CheckSound(const std::string& file) {
  DRAY_TRY(const VerifyReport report, Verify(file));
  if (report.problem_count == 0) return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("the backup {} is damaged ({} problems, the first: {}): use another one; "
                          "nothing was changed",
                          file,
                          report.problem_count,
                          report.problems.front()));
}

/// Makes the copy a store of its own.
Result<> AssignId(Database& copy, const RestoreOptions& options) {
  DRAY_TRY(const Meta meta, ReadMeta(copy));
  DRAY_TRY(const Revision newest, ReadNewest(copy, meta));
  DRAY_TRY(Transaction transaction, Transaction::Begin(copy));
  DRAY_TRY_VOID(WriteId(copy, options.new_id));
  if (options.skip_revisions > 0) {
    const Revision floor{newest.value() + options.skip_revisions};
    DRAY_TRY_VOID(WriteMeta(copy, "floor", floor));
  }
  return transaction.Commit();
}

/// No file of the replaced store may be taken for a part of the new one. Its write-ahead log is
/// merged into it, or, if the store is too damaged for that, removed.
Result<> RemoveOldLog(const std::string& file) {
  {
    const Result<std::unique_ptr<Database>> old =
        Database::Open(file, Database::Access::kWrite, "", SqliteOptions{}.busy_wait_ms);
    if (old.has_value()) {
      const auto merged = (*old)->RunCheckpoint(Database::Checkpoint::kReset);
      static_cast<void>(merged);
    }
  }
  for (const char* part : {"-wal", "-shm"}) {
    std::error_code error;
    std::filesystem::remove(file + part, error);
    if (error) {
      return Fail(StatusReason::kForbidden,
                  fmt::format("{}{} cannot be removed: {}", file, part, error.message()));
    }
  }
  return SyncFolderOf(file);
}

}  // namespace

Result<FileStatus> Backup(const std::string& path,
                          const std::string& file,
                          const BackupOptions& options) {
  if (Exists(file)) {
    return Fail(StatusReason::kAlreadyExists,
                fmt::format("{} exists: name a new file for the backup", file));
  }
  {
    DRAY_TRY(const std::string source, ExistingStoreFile(path));
    const std::optional<Answered> answered = ReadAnswered(source);  // before the snapshot
    DRAY_TRY(const std::unique_ptr<Database> from, OpenSnapshot(path));
    DRAY_TRY(const std::string loss, FindLoss(*from, answered));
    if (!loss.empty()) return Fail(Corrupt(source, loss));
    PartialFile partial(file);
    DRAY_TRY_VOID(partial.Make());
    const auto as_it_is = [](Database&) -> Result<> { return {}; };
    DRAY_TRY_VOID(CopyStore(*from, partial.path(), options, as_it_is));
    DRAY_TRY_VOID(partial.Rename());
  }
  return StatusOf(file);
}

Result<FileStatus> Restore(const std::string& file,
                           const std::string& folder,
                           const RestoreOptions& options) {
  DRAY_TRY_VOID(CheckSound(file));
  DRAY_TRY(const FolderLock lock, FolderLock::Take(folder));
  const std::string target = StoreFile(folder);
  if (Exists(target) && !options.overwrite) {
    return Fail(StatusReason::kAlreadyExists,
                fmt::format("the folder {} holds a store: name an empty folder, or say that it is "
                            "to be overwritten",
                            folder));
  }
  DRAY_TRY(const std::unique_ptr<Database> from, OpenSnapshot(file));
  if (options.progress && !options.progress(0, 1)) return GivenUp(target);
  PartialFile partial(target);
  DRAY_TRY_VOID(partial.Make());
  const auto assign = [&](Database& copy) { return AssignId(copy, options); };
  DRAY_TRY_VOID(CopyStore(*from, partial.path(), {.progress = options.progress}, assign));
  if (Exists(target)) DRAY_TRY_VOID(RemoveOldLog(target));
  DRAY_TRY_VOID(RemoveAnswered(target));
  DRAY_TRY_VOID(partial.Rename());
  return StatusOf(folder);
}

}  // namespace dray::store::sqlite
