// SPDX-License-Identifier: Apache-2.0
// Repair: makes a new store of the intact parts of a damaged one.
//
// SQLite can still read the state up to some revision. Later changes may be in pages that it no
// longer reaches: behind a damaged place of the log, or on pages that their tree has lost. Each row
// of the log has a checksum over all its fields, so Repair uses such a row wherever it is found. It
// does not take rows of earlier revisions from there, because an old page may hold records that
// were deleted since. If the tables cannot be read at all, Repair uses rows alone, and reports
// that.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/options.h"
#include "store/sqlite/partial_file.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/salvage.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store_path.h"
#include "store/sqlite/verify.h"
#include "store/sqlite/wal_scan.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// Limit of the damaged stores that a folder keeps.
constexpr int kAsideMax = 1000;

/// Live records, by key.
using State = std::map<std::string, SavedRow, std::less<>>;

SavedRow Save(const LogRow& row) {
  SavedRow saved{.key = std::string(row.key), .value = std::nullopt, .fields = row};
  if (row.value.has_value()) saved.value.emplace(*row.value);
  saved.fields.key = {};
  saved.fields.value.reset();
  return saved;
}

/// Gathers the records to keep.
class Gathering {
 public:
  Gathering(const std::string& file, RepairReport& report) : file_(file), report_(report) {}

  State Run() {
    if (FileBytes(file_) > 0) {
      const Result<> read = ReadTables();
      if (!read.has_value()) {
        state_.clear();
        report_.readable = Revision{};
        Lose(
            "its tables cannot be read ({}): live objects were found from single records, and some "
            "of them may have been deleted",
            read.error().message);
      }
    }
    const SavedRows rows = RowsAfter(report_.readable);
    report_.changes_saved = rows.size();
    report_.known = report_.readable;
    if (!rows.empty()) report_.known = Revision{rows.rbegin()->first >> kOrdinalBits};
    const std::optional<Answered> answered = ReadAnswered(file_);
    if (answered.has_value()) report_.known = std::max(report_.known, answered->revision);
    Apply(rows);
    return std::move(state_);
  }

 private:
  template <class... Arguments>
  void Lose(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (++report_.loss_count > RepairReport::kLossesMax) return;
    report_.losses.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  /// Reads the tables that SQLite can read.
  Result<> ReadTables() {
    DRAY_TRY(const std::unique_ptr<Database> database, OpenSnapshot(file_));
    DRAY_TRY(const Meta meta, ReadMeta(*database));
    DRAY_TRY(const Revision newest, ReadNewest(*database, meta));
    DRAY_TRY(const Unfolded unfolded, ReadUnfolded(*database, meta.folded));
    DRAY_TRY(const std::vector<LiveKey> live, ReadLive(*database, unfolded));
    DRAY_TRY(Statement rows,
             database->Prepare(fmt::format(
                 "SELECT {} FROM log WHERE position BETWEEN ?1 AND ?2 AND key = ?3", kRowColumns)));
    for (const LiveKey& one : live) {
      rows.Bind(1, FirstPosition(one.revision))
          .Bind(2, LastPosition(one.revision))
          .Bind(3, one.key);
      const Result<bool> found = rows.Step();
      if (found.has_value() && *found && IsIntact(rows)) {
        state_.insert_or_assign(one.key, Save(RowAt(rows)));
      } else {
        Lose("{}, written at revision {}: its record is missing or damaged",
             one.key,
             one.revision.value());
      }
      rows.Reset();
    }
    report_.readable = newest;
    return {};
  }

  /// Returns all intact rows of later revisions, from any page.
  SavedRows RowsAfter(Revision after) {
    SavedRows rows;
    const std::string log = ReadWholeFile(file_ + "-wal").value_or("");
    const WalScan scan = ScanWal(log, kPageBytes);
    std::string buffer;
    const auto in_file = [&](uint32_t page) -> std::string_view {
      const auto main = Open(file_, OpenMode::kRead);
      if (page == 0 || !main.has_value()) return {};
      buffer = ReadPart(*main, uint64_t{page - 1} * kPageBytes, kPageBytes);
      return buffer;
    };
    std::map<uint32_t, std::string_view> in_log;  // the newest version of each page so far
    const auto in_either = [&](uint32_t page) {
      const auto found = in_log.find(page);
      return found == in_log.end() ? in_file(page) : found->second;
    };
    // Overflow pages may follow the leaf that names them. So first collect all pages of a commit,
    // then read its leaves.
    for (size_t begin = 0, end = 0; begin < scan.frames.size(); begin = end) {
      while (end < scan.frames.size() && !scan.frames[end].ends_commit) ++end;
      end = std::min(end + 1, scan.frames.size());
      const auto bytes_of = [&](size_t i) {
        return std::string_view(log).substr(scan.frames[i].at, scan.page_bytes);
      };
      for (size_t i = begin; i < end; ++i) in_log[scan.frames[i].page] = bytes_of(i);
      for (size_t i = begin; i < end; ++i)
        SalvagePage(bytes_of(i), scan.frames[i].page, after, in_either, rows);
    }
    const uint64_t pages = FileBytes(file_) / kPageBytes;
    for (uint32_t page = 1; page <= pages; ++page) {
      const std::string bytes(in_file(page));
      SalvagePage(bytes, page, after, in_either, rows);
    }
    return rows;
  }

  /// Applies the rows in order, and reports the revisions without rows.
  void Apply(const SavedRows& rows) {
    Revision last = report_.readable;
    const auto report_gap = [&](Revision next) {
      const Revision first{last.value() + 1};
      const Revision end{next.value() - 1};
      if (first > end || last == Revision{}) return;
      if (first == end) return Lose("revision {}: its changes are unknown", first.value());
      Lose("revisions {} to {}: their changes are unknown", first.value(), end.value());
    };
    for (const auto& [position, row] : rows) {
      const Revision revision{position >> kOrdinalBits};
      report_gap(revision);
      last = revision;
      if (row.value.has_value()) {
        state_.insert_or_assign(row.key, row);
      } else {
        state_.erase(row.key);
      }
    }
    report_gap(Revision{report_.known.value() + 1});
  }

  const std::string& file_;
  RepairReport& report_;
  State state_;
};

/// Writes a store with the records of `state`, whose history is empty and begins at `floor`.
Result<> WriteStore(const std::string& path, const State& state, Revision floor, uint64_t id) {
  DRAY_TRY(const std::unique_ptr<Database> made, OpenToServe(path, {}, id));
  std::map<int64_t, const SavedRow*> by_position;
  for (const auto& [key, row] : state) by_position.emplace(row.fields.position, &row);
  {
    DRAY_TRY(RowWriter writer, RowWriter::Prepare(*made));
    DRAY_TRY(Statement live, made->Prepare("INSERT INTO live VALUES (?1, ?2)"));
    DRAY_TRY(Transaction transaction, Transaction::Begin(*made));
    for (const auto& [position, row] : by_position) DRAY_TRY_VOID(writer.Write(row->row()));
    for (const auto& [key, row] : state)
      DRAY_TRY_VOID(live.Bind(1, key).Bind(2, row.fields.revision().value()).Run());
    for (const char* name : {"floor", "folded", "compacted"})
      DRAY_TRY_VOID(WriteMeta(*made, name, floor));
    DRAY_TRY_VOID(transaction.Commit());
  }
  DRAY_TRY_VOID(MakeDurable(*made));
  DRAY_TRY_VOID(made->Execute("PRAGMA journal_mode=DELETE"));
  const VerifyReport report = VerifyDatabase(*made);
  if (report.problem_count == 0) return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("the repaired store {} is not sound ({}); nothing was changed",
                          path,
                          report.problems.front()));
}

Failure CannotSetAside(const std::string& from, const std::string& to, const std::error_code& why) {
  return Fail(StatusReason::kForbidden,
              fmt::format("{} cannot be kept as {}: {}", from, to, why.message()));
}

/// Gives the files second names under which SQLite finds all of them.
Result<std::vector<std::string>> SetAside(const std::string& file) {
  std::string aside;
  for (int i = 1; i <= kAsideMax && (aside.empty() || std::filesystem::exists(aside)); ++i) {
    aside = fmt::format("{}.damaged-{}", file, i);
  }
  std::vector<std::string> kept;
  for (const char* part : {"", "-wal", "-answered"}) {
    std::error_code error;
    if (!std::filesystem::exists(file + part, error)) continue;
    std::filesystem::create_hard_link(file + part, aside + part, error);
    if (error) std::filesystem::copy_file(file + part, aside + part, error);
    if (error) return CannotSetAside(file + part, aside + part, error);
    kept.push_back(aside + part);
  }
  DRAY_TRY_VOID(SyncFolderOf(file));
  // From here on the store cannot be opened until the new file has its name.
  for (const char* part : {"-wal", "-shm"}) {
    std::error_code error;
    std::filesystem::remove(file + part, error);
    if (error) return CannotSetAside(file + part, aside + part, error);
  }
  return kept;
}

/// Whether there is nothing to repair.
bool IsSound(const std::string& file) {
  const Result<VerifyReport> report = Verify(file);
  return report.has_value() && report->problem_count == 0;
}

}  // namespace

Result<RepairReport> Repair(const std::string& folder, const RepairOptions& options) {
  std::error_code error;
  const std::string file = StoreFile(folder);
  const bool is_folder = std::filesystem::is_directory(folder, error);
  if (!is_folder || (FileBytes(file) == 0 && FileBytes(file + "-wal") == 0)) {
    return Fail(StatusReason::kNotFound,
                fmt::format("the folder {} has no store that could be repaired", folder));
  }
  DRAY_TRY(const FolderLock lock, FolderLock::Take(folder));
  RepairReport report;
  report.was_sound = IsSound(file);
  if (!report.was_sound) {
    const State state = Gathering(file, report).Run();
    if (state.empty() && report.known == Revision{}) {
      return Fail(
          StatusReason::kInvalid,
          fmt::format("{} has nothing of a store of Dray: name another folder, or restore a "
                      "backup with `dray store restore`",
                      file));
    }
    const Revision floor{report.known.value() + options.skip_revisions};
    PartialFile partial(file);
    DRAY_TRY_VOID(partial.Make());
    DRAY_TRY_VOID(WriteStore(partial.path(), state, floor, options.new_id));
    DRAY_TRY(report.set_aside, SetAside(file));
    DRAY_TRY_VOID(RemoveAnswered(file));
    DRAY_TRY_VOID(partial.Rename());
  }
  DRAY_TRY(report.status, StatusOf(folder));
  return report;
}

}  // namespace dray::store::sqlite
