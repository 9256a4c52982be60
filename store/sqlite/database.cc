// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/database.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"
#include "base/result.h"
#include "base/try.h"
#include "store/sqlite/options.h"

namespace dray::store::sqlite {
namespace {

constexpr int PrimaryCode(int code) {
  return code & 0xFF;
}

FailureKind FailureOf(int code) {
  switch (PrimaryCode(code)) {
    case SQLITE_FULL: return FailureKind::kNoSpace;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return FailureKind::kBusy;
    case SQLITE_NOMEM: return FailureKind::kNoMemory;
    default: return FailureKind::kOther;
  }
}

int FlagsOf(Database::Access access) {
  constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Database::Access::kRead: return kAlways | SQLITE_OPEN_READONLY;
    case Database::Access::kWrite: return kAlways | SQLITE_OPEN_READWRITE;
    case Database::Access::kCreate: return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
}

// The write-ahead log: a header, then each page behind a header of its own.
// https://www.sqlite.org/fileformat.html#the_write_ahead_log
constexpr int64_t kLogHeaderBytes = 32;
constexpr int64_t kLogPageBytes = 24 + kPageBytes;
/// Bytes of the log kept ready for the next commits, and the step by which it is lengthened.
constexpr int64_t kLogRoom = int64_t{128} << 10U;
constexpr int64_t kLogPiece = int64_t{256} << 10U;

/// SQLite's destructor argument for texts that outlive the statement's run: a null pointer.
constexpr sqlite3_destructor_type kOutlives = nullptr;

std::string Detail(sqlite3* handle, int code) {
  const int system_error = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  const char* text = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
  if (system_error == 0) return text;
  return fmt::format("{}: {}", text, std::strerror(system_error));  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

Error ExplainFailure(const std::string& file,
                     int code,
                     std::string_view detail,
                     std::string_view doing) {
  const auto error = [](StatusReason reason, std::string message) {
    return Error{.reason = reason, .message = std::move(message)};
  };
  switch (PrimaryCode(code)) {
    case SQLITE_FULL:
      return error(
          StatusReason::kServiceUnavailable,
          fmt::format("{}: no space is left while {}: nothing was changed; free some on its "
                      "disk and try again",
                      file,
                      doing));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error(
          StatusReason::kServiceUnavailable,
          fmt::format("{}: another process holds it locked while {} (a backup, or a shell?): "
                      "wait until that ends and try again",
                      file,
                      doing));
    case SQLITE_NOMEM:
      return error(StatusReason::kServiceUnavailable,
                   fmt::format("{}: out of memory while {}: try again", file, doing));
    case SQLITE_CORRUPT: return Corrupt(file, fmt::format("{} while {}", detail, doing));
    case SQLITE_NOTADB:
      return error(StatusReason::kInvalid,
                   fmt::format("{} is not a store of Dray, or its beginning is destroyed: name "
                               "another folder, or restore a backup with `dray store restore`",
                               file));
    case SQLITE_CANTOPEN:
      return error(
          StatusReason::kForbidden,
          fmt::format("{} cannot be opened while {} ({}): check that the folder exists and "
                      "that this user may read and write in it",
                      file,
                      doing,
                      detail));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return error(StatusReason::kForbidden,
                   fmt::format("{} may not be written while {} ({}): check the permissions of the "
                               "file and its folder, and that the disk is not mounted read-only",
                               file,
                               doing,
                               detail));
    case SQLITE_IOERR:
      return error(StatusReason::kInternalError,
                   fmt::format("{}: the disk failed while {} ({}): look into the system's log",
                               file,
                               doing,
                               detail));
    default:
      return error(StatusReason::kInternalError,
                   fmt::format("{}: SQLite failed while {} ({})", file, doing, detail));
  }
}

Error Corrupt(const std::string& file, std::string_view what) {
  return {.reason = StatusReason::kInternalError,
          .message = fmt::format("{} is corrupt: {}. `dray store verify` lists what is damaged; "
                                 "restore a backup with `dray store restore`, or keep what can be "
                                 "kept with `dray store repair`",
                                 file,
                                 what)};
}

Database::Database(std::string file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {
  const auto note_pages = [](void* self, sqlite3* /*handle*/, const char* /*name*/, int pages) {
    static_cast<Database*>(self)->log_pages_ = pages;
    return SQLITE_OK;
  };
  // Replaces the default hook, which copies pages inside COMMIT and hides its errors.
  sqlite3_wal_hook(handle_, note_pages, this);
}

Database::~Database() {
  begin_ = Statement();
  commit_ = Statement();
  DRAY_CHECK(sqlite3_close(handle_) == SQLITE_OK);  // fails if a statement still exists
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& file,
                                                 Access access,
                                                 const std::string& vfs,
                                                 int busy_wait_ms) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &handle, FlagsOf(access), vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    Error error = ExplainFailure(file, code, Detail(handle, code), "opening it");
    sqlite3_close(handle);
    return Fail(std::move(error));
  }
  sqlite3_busy_timeout(handle, busy_wait_ms);
  return std::unique_ptr<Database>(new Database(file, handle));
}

Error Database::ErrorOf(int code, std::string_view doing) {
  last_failure_ = FailureOf(code);
  return ExplainFailure(file_, code, Detail(handle_, code), doing);
}

Result<> Database::Execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code, fmt::format("running {}", sql)));
  return {};
}

Result<> Database::Begin() {
  if (commit_.empty()) {
    DRAY_TRY(begin_, Prepare("BEGIN IMMEDIATE"));
    DRAY_TRY(commit_, Prepare("COMMIT"));
  }
  return begin_.Run();
}

Result<> Database::Commit() {
  return commit_.Run();
}

void Database::RollBack() {
  // After some failures SQLite has rolled back by itself. If ROLLBACK fails, the connection refuses
  // everything, and the next call reports that.
  if (in_transaction()) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<int64_t> Database::QueryNumber(const std::string& sql) {
  DRAY_TRY(Statement statement, Prepare(sql));
  DRAY_TRY(const bool found, statement.Step());
  return found ? statement.Number(0) : 0;
}

Result<std::string> Database::QueryText(const std::string& sql) {
  DRAY_TRY(Statement statement, Prepare(sql));
  DRAY_TRY(const bool found, statement.Step());
  return found ? std::string(statement.Bytes(0)) : std::string();
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle_,
                                      sql.data(),
                                      static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT,
                                      &prepared,
                                      nullptr);
  if (PrimaryCode(code) ==
      SQLITE_ERROR) {  // our SQL is right, so the tables are not as we made them
    last_failure_ = FailureKind::kOther;
    return Fail(Corrupt(file_, fmt::format("its tables are damaged ({})", Detail(handle_, code))));
  }
  if (code != SQLITE_OK) return Fail(ErrorOf(code, fmt::format("preparing {}", sql)));
  return Statement(this, prepared);
}

Result<Database::Copied> Database::RunCheckpoint(Checkpoint how) {
  const int mode =
      how == Checkpoint::kReset ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  int pages = 0;
  int copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, &pages, &copied);
  if (code != SQLITE_OK) return Fail(ErrorOf(code, "copying its log into it"));
  const bool all = copied == pages;
  if (all) log_pages_ = 0;
  log_bytes_ = 0;  // unknown; LengthenLog reads it again
  return Copied{.pages = pages, .all = all};
}

void Database::LengthenLog() {
  static std::array<char, size_t{64} << 10U> zeros;  // NOLINT: read only, and nothing of the file
  const int64_t wanted = kLogHeaderBytes + log_pages_ * kLogPageBytes + kLogRoom;
  if (wanted <= log_bytes_) return;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle_, nullptr, SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
  sqlite3_int64 size = 0;
  if (log == nullptr || log->pMethods == nullptr) return;
  if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return;
  const int64_t end = size >= wanted ? size : size + kLogPiece;
  for (constexpr auto kBytes = static_cast<int>(zeros.size()); size < end; size += kBytes) {
    if (log->pMethods->xWrite(log, zeros.data(), kBytes, size) != SQLITE_OK) return;
  }
  log_bytes_ = end;
}

void Database::LeaveLogBehind(bool leave) {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave ? 1 : 0, nullptr);
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::Bind(int index, int64_t number) {
  DRAY_CHECK(sqlite3_bind_int64(statement_.get(), index, number) == SQLITE_OK);
  return *this;
}

Statement& Statement::Bind(int index, std::string_view bytes) {
  const char* at = bytes.empty() ? "" : bytes.data();  // a null pointer would be NULL
  DRAY_CHECK(sqlite3_bind_blob64(statement_.get(), index, at, bytes.size(), kOutlives) ==
             SQLITE_OK);
  return *this;
}

Statement& Statement::BindText(int index, std::string_view text) {
  DRAY_CHECK(sqlite3_bind_text64(
                 statement_.get(), index, text.data(), text.size(), kOutlives, SQLITE_UTF8) ==
             SQLITE_OK);
  return *this;
}

Statement& Statement::BindNull(int index) {
  DRAY_CHECK(sqlite3_bind_null(statement_.get(), index) == SQLITE_OK);
  return *this;
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    Reset();
    return false;
  }
  const ResetAtEnd reset(*this);  // also resets if there is no memory for the error
  return Fail(database_->ErrorOf(code, fmt::format("running {}", sqlite3_sql(statement_.get()))));
}

Result<> Statement::Run() {
  while (true) {
    DRAY_TRY(const bool found, Step());
    if (!found) return {};
  }
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());
}

int64_t Statement::Number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::Bytes(int column) const {
  const void* at = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column));
  if (at == nullptr) return "";
  return {static_cast<const char*>(at), size};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Statement::IsNumber(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

bool Statement::IsBlob(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_BLOB;
}

Result<Transaction> Transaction::Begin(Database& database) {
  DRAY_TRY_VOID(database.Begin());
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) database_->RollBack();
}

Result<> Transaction::Commit() {
  DRAY_TRY_VOID(database_->Commit());
  database_ = nullptr;
  return {};
}

}  // namespace dray::store::sqlite
