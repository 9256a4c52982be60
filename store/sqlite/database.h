// SPDX-License-Identifier: Apache-2.0
// SQLite behind Result: one connection and its prepared statements. The only header besides
// sqlite3.h that the rest of this folder needs; every error names the file and what to do about it.
//
// Thread safety: none; a connection and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dray::store::sqlite {

/// What the code of a failed call means for requests in flight.
enum class FailureKind : uint8_t {
  kNone,      // no call has failed
  kNoSpace,   // SQLITE_FULL: the disk is full, or the file has its largest size
  kBusy,      // another connection holds the lock
  kNoMemory,  // SQLITE_NOMEM
  kOther,     // everything else; after a failed COMMIT the outcome is unknown
};

class Database;

/// A prepared statement. Bind, step through the rows, reset, and so on.
class Statement {
 public:
  Statement() = default;
  /// True if no statement was prepared.
  bool empty() const { return statement_ == nullptr; }

  Statement& Bind(int index, int64_t number);
  /// Binds a blob. The bytes must stay valid until the statement is reset.
  Statement& Bind(int index, std::string_view bytes);
  Statement& BindText(int index, std::string_view text);
  Statement& BindNull(int index);

  /// Returns true if there is a row. Resets the statement when there is none, and after an error.
  Result<bool> Step();
  /// Steps through all rows.
  Result<> Run();
  void Reset();

  int64_t Number(int column) const;
  /// Valid until the next step.
  std::string_view Bytes(int column) const;
  bool IsNull(int column) const;
  bool IsNumber(int column) const;
  bool IsBlob(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(Database* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Access : uint8_t { kRead, kWrite, kCreate };

  /// Opens `file` through the VFS named `vfs`, or the system's own. Waits up to `busy_wait_ms` for
  /// locks of other processes. SQLite reads nothing before the first statement.
  static Result<std::unique_ptr<Database>> Open(const std::string& file,
                                                Access access,
                                                const std::string& vfs,
                                                int busy_wait_ms);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  /// Closes it. All statements are gone by then.
  ~Database();

  const std::string& file() const { return file_; }
  sqlite3* handle() const { return handle_; }

  /// Runs statements whose rows, if any, do not matter. Allocates no memory here unless it fails.
  Result<> Execute(const char* sql);
  Result<> Execute(const std::string& sql) { return Execute(sql.c_str()); }
  /// Run "BEGIN IMMEDIATE" and "COMMIT". Both are prepared at the first Begin() because every
  /// commit needs them.
  Result<> Begin();
  Result<> Commit();
  /// Rolls back the transaction, if there is one.
  void RollBack();
  /// Returns the first column of the first row; 0 or "" if there is none.
  Result<int64_t> QueryNumber(const std::string& sql);
  Result<std::string> QueryText(const std::string& sql);
  Result<Statement> Prepare(std::string_view sql);

  /// Copies the write-ahead log into the file and syncs the file. kWhatCanBe leaves pages that a
  /// reader of the file still needs; kReset waits for readers, and leaves an empty log.
  enum class Checkpoint : uint8_t { kWhatCanBe, kReset };
  struct Copied {
    int pages = 0;  // in the log
    bool all = true;
  };
  Result<Copied> RunCheckpoint(Checkpoint how);
  /// Pages in the write-ahead log after the last commit of this connection; 0 once all were copied.
  int log_pages() const { return log_pages_; }
  /// Call within a transaction of this connection. Lengthens the file of the write-ahead log with
  /// zeros, a piece at a time, so that it is longer than the next commits need, because flushing a
  /// file that does not grow takes about two thirds of the time and CPU. SQLite ignores zeros
  /// behind the last page. Does nothing if the disk has no room; the commit then reports that.
  void LengthenLog();
  /// While set, closing does not copy the log into the file. Set it until the log has been checked,
  /// and after a failure, because the log may then hold pages that must not reach the file.
  void LeaveLogBehind(bool leave);

  bool in_transaction() const;
  /// The kind of the last call that failed since ForgetFailure.
  FailureKind last_failure() const { return last_failure_; }
  void ForgetFailure() { last_failure_ = FailureKind::kNone; }
  /// Makes the error for result code `code` of this connection, which failed while `doing`.
  Error ErrorOf(int code, std::string_view doing);

 private:
  Database(std::string file, sqlite3* handle);

  const std::string file_;
  sqlite3* const handle_;
  Statement begin_, commit_;
  int log_pages_ = 0;
  int64_t log_bytes_ = 0;  // least size of the log's file, unless SQLite has cut it meanwhile
  FailureKind last_failure_ = FailureKind::kNone;
};

/// Makes the error of `code` for `file`; `detail` is SQLite's own text.
Error ExplainFailure(const std::string& file,
                     int code,
                     std::string_view detail,
                     std::string_view doing);

/// Makes the error for impossible contents of `file`; `what` describes them.
Error Corrupt(const std::string& file, std::string_view what);

/// Resets a statement at the end of the scope that reads its rows.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;
  ~ResetAtEnd() { statement_.Reset(); }

 private:
  Statement& statement_;
};

/// Rolls back in its destructor unless Commit succeeds.
class Transaction {
 public:
  /// Errors: as Database::Begin, e.g. another process writes.
  static Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Result<> Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace dray::store::sqlite
