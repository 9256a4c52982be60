// SPDX-License-Identifier: Apache-2.0
// An operator's tools for the data folder of `dray serve`: status, verify, backup, restore, repair,
// compact, dump.
//
// A `path` names a data folder, or a single file such as a backup. All functions but Restore,
// Repair and CompactFolder only read, and may be called while a server uses the folder: they see
// the newest commit of the moment they begin.
//
// Errors of all: kNotFound            there is no such folder or file, or no store in it.
//                kForbidden           it may not be read, or written where that is needed.
//                kInvalid             it is not a store of Dray, or of a newer version of it.
//                kServiceUnavailable  another process uses it and may not, or the disk is full.
//                kInternalError       it is corrupt, or the disk failed. The message names the file
//                and what to do about it.
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
  std::string file;              // the file examined
  std::string id;                // as store::Status::id
  int64_t schema_version = 0;    // of the file
  Revision newest{};             // the last commit
  Revision floor{};              // older history is deleted, or may be at any moment
  uint64_t keys = 0;             // live
  uint64_t rows = 0;             // records in the log, including superseded ones and deletions
  uint64_t file_bytes = 0;       // including the write-ahead log
  uint64_t free_bytes = 0;       // part of file_bytes that is kept for reuse
  std::optional<int64_t> owner;  // the process that serves the folder now
};

/// O(rows), because it counts them.
Result<FileStatus> StatusOf(const std::string& path);

/// The findings of Verify.
struct VerifyReport {
  /// The first problems, each naming a key, revision or page, at most kProblemsMax.
  std::vector<std::string> problems;
  uint64_t problem_count = 0;  // of all problems; 0: the file is sound
  Revision newest{};
  uint64_t keys = 0;
  uint64_t rows = 0;

  static constexpr size_t kProblemsMax = 100;
};

/// Checks the file's structure (SQLite's integrity_check), the checksum of each record, that
/// revisions ascend without a gap, that each record continues the one it replaced, and that the
/// table of live keys agrees with the log. Reports problems in the result. An error means that
/// there is nothing to check. Reads the whole file; O(keys) memory.
Result<VerifyReport> Verify(const std::string& path);

struct BackupOptions {
  /// Called between steps with the number of parts done and of all parts. Returns false to cancel.
  std::function<bool(uint64_t pages_done, uint64_t pages_all)> progress{};
};

/// Copies the newest state of `path`, with its history, to `file`: one complete file, durable when
/// this returns, absent if it fails. A server may use `path` meanwhile. `file` must not exist
/// (kAlreadyExists). Returns the status of the copy.
Result<FileStatus> Backup(const std::string& path,
                          const std::string& file,
                          const BackupOptions& options = {});

struct RestoreOptions {
  /// The identity of the restored store. It has to be new, because commits after the backup are
  /// gone, so tokens and watches of the old store must not be continued on this one.
  uint64_t new_id = 0;
  /// Added to the newest revision; all earlier history is dropped. Clients that saw revisions later
  /// than the backup then get Expired instead of other changes with the same revisions.
  int64_t skip_revisions = 0;
  /// Replaces a store that is already in the folder.
  bool overwrite = false;
  /// As BackupOptions::progress. Also called once before anything is written.
  std::function<bool(uint64_t pages_done, uint64_t pages_all)> progress{};
};

/// Makes `folder` (created if need be) hold a copy of the backup `file`, which is verified first.
/// Refuses a folder that a server uses, and a folder that holds a store (kAlreadyExists) unless
/// `overwrite` is set. Nothing has changed until the last step, a rename.
Result<FileStatus> Restore(const std::string& file,
                           const std::string& folder,
                           const RestoreOptions& options);

struct RepairOptions {
  /// As RestoreOptions::new_id, for the same reason.
  uint64_t new_id = 0;
  /// Added to the newest revision known from any source; all earlier history is dropped. So no
  /// revision is used for a second change, not even a lost one.
  int64_t skip_revisions = 1'000'000;
};

struct RepairReport {
  bool was_sound = false;              // if true, nothing was changed
  FileStatus status{};                 // of the store afterwards
  Revision readable{};                 // the newest that could be read
  Revision known{};                    // the newest known from any source
  uint64_t changes_saved = 0;          // changes later than `readable`, recovered from damaged
                                       // files
  std::vector<std::string> losses;     // descriptions of what could not be kept, at most kLossesMax
  uint64_t loss_count = 0;             // number of all losses
  std::vector<std::string> set_aside;  // the damaged files under their new names

  static constexpr size_t kLossesMax = 100;
};

/// Makes a new store of the intact parts of the damaged one in `folder`, which must not be in use,
/// and sets the damaged files aside. Keeps the live records whose checksums are right, and changes
/// behind a damaged place of the log; drops history. Nothing has changed until the last steps,
/// renames.
///
/// Errors: as Restore; kNotFound  there is nothing to repair.
Result<RepairReport> Repair(const std::string& folder, const RepairOptions& options);

/// Drops all history before `revision` (the newest, if none is given), gives freed space back to
/// the disk, and returns the status after that. The folder must not be in use. Live records stay.
///
/// Errors: kTimeout  a revision later than the newest.
Result<FileStatus> CompactFolder(const std::string& folder, std::optional<Revision> revision = {});

/// One record as it stands in the file. The texts are valid during the call.
struct DumpedRecord {
  Revision revision{};       // the commit that wrote it
  int64_t ordinal = 0;       // its place in that commit
  bool is_deletion = false;  // if true, there is no value
  std::string_view key;
  std::string_view value;
  Revision created{};
  int64_t version = 0;
  std::optional<WallTime> expiry;
  Revision replaced{};  // the revision of the record it replaced; 0 if the key was absent
};

struct DumpOptions {
  /// kLive: each live key once, in key order. kLog: all records that are kept, by revision.
  enum class What : uint8_t { kLive, kLog };
  What what = What::kLive;
  std::string prefix{};  // only keys that begin so
};

/// Passes each record to `sink`. If `sink` returns an error, stops and returns it.
Result<> Dump(const std::string& path,
              const DumpOptions& options,
              const std::function<Result<>(const DumpedRecord&)>& sink);

}  // namespace dray::store::sqlite
