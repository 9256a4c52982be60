// SPDX-License-Identifier: Apache-2.0
// What an operator does with the data folder of `dray serve`: status, verify, backup, restore,
// repair, compact, dump.
//
// Wherever a `path` is asked for, it names a data folder, or a single file such as a backup. All
// functions but Restore, Repair and CompactFolder only read, and may be called while a server uses
// the folder: they see the newest commit of the moment they begin.
//
// Errors of all: kNotFound            there is no such folder or file, or no store in it.
//                kForbidden           it may not be read, or written where that is needed.
//                kInvalid             it is not a store of Dray, or of a newer version of it.
//                kServiceUnavailable  another process uses it and may not, or the disk is full.
//                kInternalError       it is corrupt, or the disk failed.
// The message names the file and says what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store::sqlite {

/// The state of a store file.
struct FileStatus {
  std::string file;              // the file looked at
  std::string id;                // as store::Status::id
  int64_t schema_version = 0;    // of the file
  Revision newest{};             // the last commit
  Revision floor{};              // history before it is deleted, or may be at any moment
  uint64_t keys = 0;             // live
  uint64_t rows = 0;             // records in the log, superseded ones and deletions included
  uint64_t file_bytes = 0;       // with what is still in the write-ahead log
  uint64_t free_bytes = 0;       // of those, kept for reuse
  std::optional<int64_t> owner;  // the process that serves the folder now
};

/// O(rows): it counts.
Result<FileStatus> StatusOf(const std::string& path);

/// What Verify found.
struct VerifyReport {
  /// The first problems, each naming a key, revision or page, at most kProblemsMax.
  std::vector<std::string> problems;
  uint64_t problem_count = 0;  // all of them; 0: the file is sound
  Revision newest{};
  uint64_t keys = 0;
  uint64_t rows = 0;

  static constexpr size_t kProblemsMax = 100;
};

/// Checks everything that can be checked: the file's structure (SQLite's integrity_check), the
/// checksum of each record, that revisions ascend without a gap, that each record continues the one
/// it replaced, and that the table of live keys agrees with the log. Problems are a report, not an
/// error; an error means that there is nothing to check. Reads all; O(keys) memory.
Result<VerifyReport> Verify(const std::string& path);

struct BackupOptions {
  /// Called between steps with the parts done and all of them; false gives up.
  std::function<bool(uint64_t pages_done, uint64_t pages_all)> progress{};
};

/// Copies the newest state of `path`, history included, to `file`: one complete file, durable when
/// this returns, absent if it fails. The server goes on meanwhile. `file` must not exist
/// (kAlreadyExists). Returns the status of the copy.
Result<FileStatus> Backup(const std::string& path,
                          const std::string& file,
                          const BackupOptions& options = {});

struct RestoreOptions {
  /// The identity of the restored store. It has to be a new one: what was committed after the
  /// backup is gone, so tokens and watches of the old store must not be continued on this one.
  uint64_t new_id = 0;
  /// Added to the newest revision, with everything before forgotten: clients that saw revisions
  /// later than the backup are told Expired instead of getting other changes under the same ones.
  int64_t skip_revisions = 0;
  /// Replaces a store that is in the folder.
  bool overwrite = false;
  /// As BackupOptions::progress; and once before anything is written.
  std::function<bool(uint64_t pages_done, uint64_t pages_all)> progress{};
};

/// Makes `folder` (created if need be) hold a copy of the backup `file`, which is verified first. A
/// folder that holds a store is refused (kAlreadyExists) unless told otherwise, and so is one that
/// a server uses. Until the last step, a rename, nothing has changed.
Result<FileStatus> Restore(const std::string& file,
                           const std::string& folder,
                           const RestoreOptions& options);

struct RepairOptions {
  /// As RestoreOptions::new_id, for the same reason.
  uint64_t new_id = 0;
  /// Added to the newest revision that anything tells of, with everything before forgotten: no
  /// revision is given to a second change, also not one of those that are lost.
  int64_t skip_revisions = 1'000'000;
};

struct RepairReport {
  bool was_sound = false;              // then nothing was changed
  FileStatus status{};                 // of the store afterwards
  Revision readable{};                 // the newest that could be read
  Revision known{};                    // the newest that anything tells of
  uint64_t changes_saved = 0;          // later than `readable`, out of damaged files
  std::vector<std::string> losses;     // what could not be kept, at most kLossesMax
  uint64_t loss_count = 0;             // all of them
  std::vector<std::string> set_aside;  // the files as they were

  static constexpr size_t kLossesMax = 100;
};

/// Makes a store of what can be kept of the damaged one in `folder`, which must not be in use, and
/// sets the damaged files aside. Kept are the live records whose checksums are right, and changes
/// behind a damaged place of the log; history is not. Until the last steps, renames, nothing has
/// changed.
///
/// Errors: as Restore; kNotFound  there is nothing to repair.
Result<RepairReport> Repair(const std::string& folder, const RepairOptions& options);

/// Forgets all history before `revision` (the newest, if none is named), gives freed space back to
/// the disk, and returns the status after that. The folder must not be in use. Live records stay.
///
/// Errors: kTimeout  a revision later than the newest.
Result<FileStatus> CompactFolder(const std::string& folder, std::optional<Revision> revision = {});

/// One record as it stands in the file. The texts are valid during the call.
struct DumpedRecord {
  Revision revision{};       // the commit that wrote it
  int64_t ordinal = 0;       // its place in that commit
  bool is_deletion = false;  // then there is no value
  std::string_view key;
  std::string_view value;
  Revision created{};
  int64_t version = 0;
  std::optional<WallTime> expiry;
  Revision replaced{};  // the revision this key had before; 0 if it was absent
};

struct DumpOptions {
  /// kLive: each key once, as it is now, in key order. kLog: all that is kept, by revision.
  enum class What : uint8_t { kLive, kLog };
  What what = What::kLive;
  std::string prefix{};  // only keys that begin so
};

/// Gives each record to `sink`, one after the other, until it returns an error, which is returned.
Result<> Dump(const std::string& path,
              const DumpOptions& options,
              const std::function<Result<>(const DumpedRecord&)>& sink);

}  // namespace dray::store::sqlite
