// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/schema.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// The view is for people with an sqlite3 shell; Dray does not read it.
constexpr const char* kTables = R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value NOT NULL) WITHOUT ROWID;
CREATE TABLE log (
  position INTEGER PRIMARY KEY NOT NULL,
  key BLOB NOT NULL,
  created INTEGER NOT NULL,
  version INTEGER NOT NULL,
  expiry INTEGER,
  replaced INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  value BLOB);
CREATE TABLE live (key BLOB PRIMARY KEY NOT NULL, revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIEW history AS SELECT
  position >> 10 AS revision, position & 1023 AS ordinal,
  CASE WHEN value IS NULL THEN 'delete' ELSE 'put' END AS change, CAST(key AS TEXT) AS key,
  length(value) AS bytes, created, version, expiry, replaced FROM log;
)sql";

Failure NotAStore(const std::string& file) {
  return Fail(StatusReason::kInvalid,
              fmt::format("{} is an SQLite file, but not a store of Dray: name another folder, or "
                          "move that file away",
                          file));
}

/// SQLite treats an empty file as an empty database, and removes the log beside it. That is right
/// for a store whose creation was interrupted, and wrong for a store that had data.
Result<> CheckNotEmptied(const std::string& file) {
  if (FileBytes(file) > 0) return {};
  const std::optional<Answered> answered = ReadAnswered(file);
  const bool had_something = answered.has_value() && answered->revision > kFirstRevision;
  if (!had_something && FileBytes(file + "-wal") == 0) return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("{} is empty or missing, but {}. `dray store repair` keeps what can be "
                          "kept; or restore a backup with `dray store restore`",
                          file,
                          had_something ? fmt::format("changes up to revision {} were answered",
                                                      answered->revision.value())
                                        : "a log of it is there"));
}

/// Makes an empty file that only its owner can read, because SQLite would make it readable for all
/// users. SQLite's helper files get the same permissions.
void MakePrivateFile(const std::string& file) {
  // If this fails, the file exists, or SQLite reports the reason.
  static_cast<void>(Open(file, OpenMode::kNew));
}

Result<> Configure(Database& database, const SqliteOptions& options) {
  // EXTRA is FULL and, while the file is created and has no log yet, also syncs the folder after a
  // journal was deleted. Otherwise the journal could come back after a power cut, and SQLite would
  // roll back everything since.
  std::string pragmas = fmt::format(
      "PRAGMA synchronous=EXTRA; PRAGMA cache_size=-{}; PRAGMA temp_store=MEMORY;"
      "PRAGMA secure_delete=OFF; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF;"
      "PRAGMA journal_size_limit={};",
      options.cache_bytes / 1024,
      size_t{64} << 20U);
  if (options.pages_max > 0) pragmas += fmt::format("PRAGMA max_page_count={};", options.pages_max);
  return database.Execute(pragmas);
}

/// Whether the file has a schema. A crash during the creation may leave a file without tables.
///
/// Errors: kInvalid  it belongs to another program, or to a newer Dray.
Result<bool> HasSchema(Database& database) {
  DRAY_TRY(const int64_t application, database.QueryNumber("PRAGMA application_id"));
  DRAY_TRY(const int64_t version, database.QueryNumber("PRAGMA user_version"));
  if (application == 0 && version == 0) {
    DRAY_TRY(const int64_t tables, database.QueryNumber("SELECT count(*) FROM sqlite_schema"));
    if (tables == 0) return false;
  }
  if (application != kApplicationId) return NotAStore(database.file());
  if (version > kSchemaVersion) {
    return Fail(StatusReason::kInvalid,
                fmt::format("{} has schema version {}, and this Dray knows versions up to {}: run "
                            "the newer Dray that wrote it, or restore a backup of an older one",
                            database.file(),
                            version,
                            kSchemaVersion));
  }
  if (version < 1) {
    return Fail(Corrupt(database.file(), fmt::format("its schema version is {}", version)));
  }
  return true;
}

Result<> Create(Database& database, uint64_t new_id) {
  // These must be set before the first page is written.
  DRAY_TRY_VOID(database.Execute(
      fmt::format("PRAGMA page_size={}; PRAGMA auto_vacuum=INCREMENTAL;", kPageBytes)));
  DRAY_TRY_VOID(database.Execute("PRAGMA journal_mode=WAL"));
  DRAY_TRY(Transaction transaction, Transaction::Begin(database));
  DRAY_TRY_VOID(database.Execute(kTables));
  DRAY_TRY_VOID(WriteId(database, new_id));
  for (const char* name : {"floor", "folded", "compacted"}) {
    DRAY_TRY_VOID(WriteMeta(database, name, kFirstRevision));
  }
  DRAY_TRY_VOID(database.Execute("INSERT INTO meta VALUES ('settled', 0)"));
  DRAY_TRY_VOID(database.Execute(fmt::format(
      "PRAGMA application_id={}; PRAGMA user_version={};", kApplicationId, kSchemaVersion)));
  return transaction.Commit();
}

Result<> CheckWritable(Database& database) {
  if (sqlite3_db_readonly(database.handle(), "main") == 0) return {};
  return Fail(ExplainFailure(
      database.file(), SQLITE_READONLY, "it could only be opened for reading", "opening it"));
}

Result<> UseWriteAheadLog(Database& database) {
  DRAY_TRY(const std::string mode, database.QueryText("PRAGMA journal_mode=WAL"));
  if (mode == "wal") return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("{} cannot have a write-ahead log (its mode stays {}): use a folder on a "
                          "local disk",
                          database.file(),
                          mode));
}

/// Makes durable what another process left in the write-ahead log. If a flush of that process
/// failed, the log may have pages that readers see but the disk has lost, and anything written
/// behind them would be lost with them. So this copies the pages into the file, which writes them
/// anew, and restarts the log. The old log must not come back either, because its pages would
/// overwrite newer ones; the transaction, which has to change something, syncs its end.
Result<> SettleLog(Database& database) {
  DRAY_TRY(const Database::Copied copied, database.RunCheckpoint(Database::Checkpoint::kWhatCanBe));
  if (copied.pages <= 0) return {};
  DRAY_TRY_VOID(database.RunCheckpoint(Database::Checkpoint::kReset));
  DRAY_TRY(Transaction transaction, Transaction::Begin(database));
  DRAY_TRY_VOID(database.Execute("UPDATE meta SET value = value + 1 WHERE name = 'settled'"));
  return transaction.Commit();
}

}  // namespace

Result<std::unique_ptr<Database>> OpenToServe(const std::string& file,
                                              const SqliteOptions& options,
                                              uint64_t new_id) {
  if (options.vfs.empty()) {
    DRAY_TRY_VOID(CheckNotEmptied(file));
    MakePrivateFile(file);
  }
  DRAY_TRY(std::unique_ptr<Database> database,
           Database::Open(file, Database::Access::kCreate, options.vfs, options.busy_wait_ms));
  database->LeaveLogBehind(true);
  DRAY_TRY(const bool exists, HasSchema(*database));
  DRAY_TRY_VOID(CheckWritable(*database));
  DRAY_TRY_VOID(Configure(*database, options));
  if (!exists) DRAY_TRY_VOID(Create(*database, new_id));
  return database;
}

Result<> MakeDurable(Database& database) {
  DRAY_TRY_VOID(UseWriteAheadLog(database));
  DRAY_TRY_VOID(SettleLog(database));
  database.LeaveLogBehind(false);
  return {};
}

Result<std::unique_ptr<Database>> OpenToRead(const std::string& file,
                                             const SqliteOptions& options) {
  if (options.vfs.empty()) DRAY_TRY_VOID(CheckNotEmptied(file));
  DRAY_TRY(std::unique_ptr<Database> database,
           Database::Open(file, Database::Access::kRead, options.vfs, options.busy_wait_ms));
  DRAY_TRY(const bool exists, HasSchema(*database));
  if (!exists) {
    return Fail(StatusReason::kNotFound,
                fmt::format("{} is empty: no store has been made in it yet", file));
  }
  return database;
}

Result<Meta> ReadMeta(Database& database) {
  Meta meta;
  DRAY_TRY(meta.id, database.QueryText("SELECT value FROM meta WHERE name='id'"));
  const auto revision = [&](const char* name) -> Result<Revision> {
    DRAY_TRY(const int64_t value,
             database.QueryNumber(fmt::format("SELECT value FROM meta WHERE name='{}'", name)));
    return Revision{value};
  };
  DRAY_TRY(meta.floor, revision("floor"));
  DRAY_TRY(meta.folded, revision("folded"));
  DRAY_TRY(meta.compacted, revision("compacted"));
  constexpr size_t kIdDigits = 16;
  if (meta.id.size() != kIdDigits || meta.compacted < kFirstRevision ||
      meta.compacted > meta.folded || meta.compacted > meta.floor) {
    return Fail(Corrupt(database.file(),
                        fmt::format("its table meta cannot be (id {}, floor {}, folded {}, "
                                    "compacted {})",
                                    meta.id,
                                    meta.floor.value(),
                                    meta.folded.value(),
                                    meta.compacted.value())));
  }
  return meta;
}

Result<> WriteMeta(Database& database, const char* name, Revision revision) {
  return database.Execute(
      fmt::format("INSERT OR REPLACE INTO meta VALUES ('{}', {})", name, revision.value()));
}

Result<> WriteId(Database& database, uint64_t id) {
  return database.Execute(
      fmt::format("INSERT OR REPLACE INTO meta VALUES ('id', '{}')", IdText(id)));
}

}  // namespace dray::store::sqlite
