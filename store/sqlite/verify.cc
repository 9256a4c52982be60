// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/verify.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/loss.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store_path.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// Replays the log from its first row and checks each row against the rows before it. The only rows
/// that may be missing are those that compaction has deleted: records superseded at or below the
/// floor.
class Verifier {
 public:
  explicit Verifier(Database& database) : database_(database) {}

  /// A part that fails is reported as a problem, and the next parts still run; but live keys are
  /// not compared with a log that could not be read to its end, because each of them might be
  /// there.
  VerifyReport Run() {
    Note(CheckStructure());
    Note(ReadTables());
    const Result<> log = CheckLog();
    Note(log);
    if (log.has_value()) Note(CheckLive());
    report_.keys = state_.size();
    return std::move(report_);
  }

 private:
  struct Held {
    Revision revision{};
    Revision created{};
    int64_t version = 0;
  };

  template <class... Arguments>
  void Problem(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    ++report_.problem_count;
    if (report_.problems.size() == VerifyReport::kProblemsMax) return;
    report_.problems.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void Note(const Result<>& part) {
    if (!part.has_value()) Problem("{}", part.error().message);
  }

  Result<> CheckStructure() {
    DRAY_TRY(Statement lines, database_.Prepare("PRAGMA integrity_check"));
    while (true) {
      DRAY_TRY(const bool found, lines.Step());
      if (!found) return {};
      if (lines.Bytes(0) != "ok") Problem("structure: {}", lines.Bytes(0));
    }
  }

  Result<> ReadTables() {
    DRAY_TRY(meta_, ReadMeta(database_));
    DRAY_TRY(report_.newest, ReadNewest(database_, meta_));
    return {};
  }

  Result<> CheckLog() {
    DRAY_TRY(Statement rows,
             database_.Prepare(fmt::format("SELECT {} FROM log ORDER BY position", kRowColumns)));
    int64_t last = LastPosition(meta_.floor);
    while (true) {
      DRAY_TRY(const bool found, rows.Step());
      if (!found) return {};
      ++report_.rows;
      const int64_t position = rows.Number(0);
      if (Revision{position >> kOrdinalBits} > meta_.floor) {
        CheckNext(last, position);
        last = position;
      }
      const LogRow row = RowAt(rows);
      if (!IsIntact(rows)) {
        Problem("the checksum of {} at revision {} is wrong", row.key, row.revision().value());
      }
      CheckLink(row);
    }
  }

  /// Above the floor nothing is missing: ordinals count up, then comes the next revision.
  void CheckNext(int64_t last, int64_t position) {
    const Revision next{(last >> kOrdinalBits) + 1};
    if (position == last + 1 || position == FirstPosition(next)) return;
    Problem("after revision {} there is no record until revision {}, change {}",
            last >> kOrdinalBits,
            position >> kOrdinalBits,
            position & (FirstPosition(Revision{1}) - 1));
  }

  void CheckLink(const LogRow& row) {
    const auto before = state_.find(row.key);
    const bool has_before = before != state_.end();
    const Revision held = has_before ? before->second.revision : kAbsent;
    const bool may_be_gone = row.revision() <= meta_.floor;
    if (row.replaced != held && (has_before || !may_be_gone)) {
      Problem("{} at revision {} replaces revision {}, but the key's last one is {}",
              row.key,
              row.revision().value(),
              row.replaced.value(),
              held.value());
    } else if (!Continues(row, has_before ? &before->second : nullptr)) {
      Problem("{} at revision {} counts its life wrong (created {}, version {})",
              row.key,
              row.revision().value(),
              row.created.value(),
              row.version);
    }
    if (!row.value.has_value()) {
      if (has_before) state_.erase(before);
      return;
    }
    state_.insert_or_assign(
        std::string(row.key),
        Held{.revision = row.revision(), .created = row.created, .version = row.version});
  }

  static bool Continues(const LogRow& row, const Held* before) {
    const bool is_put = row.value.has_value();
    if (row.replaced == kAbsent) return is_put && row.created == row.revision() && row.version == 1;
    if (before == nullptr) return row.created <= row.replaced;
    return row.created == before->created && row.version == before->version + (is_put ? 1 : 0);
  }

  /// Checks that the table of live keys, with the changes after it, agrees with the log.
  Result<> CheckLive() {
    DRAY_TRY(const Unfolded unfolded, ReadUnfolded(database_, meta_.folded));
    DRAY_TRY(const std::vector<LiveKey> live, ReadLive(database_, unfolded));
    auto in_log = state_.begin();
    const auto only_in_log = [&] {
      Problem("{} lives at revision {}, but is not in the table of live keys",
              in_log->first,
              in_log->second.revision.value());
      ++in_log;
    };
    for (const LiveKey& one : live) {
      while (in_log != state_.end() && in_log->first < one.key) only_in_log();
      if (in_log == state_.end() || in_log->first != one.key) {
        Problem("{} is in the table of live keys, but not in the log", one.key);
        continue;
      }
      if (in_log->second.revision != one.revision) {
        Problem("{} lives at revision {}, but the table of live keys says {}",
                one.key,
                in_log->second.revision.value(),
                one.revision.value());
      }
      ++in_log;
    }
    while (in_log != state_.end()) only_in_log();
    return {};
  }

  Database& database_;
  VerifyReport report_;
  Meta meta_;
  std::map<std::string, Held, std::less<>> state_;  // the state of the log at the place reached
};

}  // namespace

VerifyReport VerifyDatabase(Database& database) {
  return Verifier(database).Run();
}

Result<VerifyReport> Verify(const std::string& path) {
  DRAY_TRY(const std::string file, ExistingStoreFile(path));
  // Read before the snapshot, so that the snapshot is at least as new as the note.
  const std::optional<Answered> answered = ReadAnswered(file);
  DRAY_TRY(const std::unique_ptr<Database> database, OpenSnapshot(path));
  VerifyReport report = VerifyDatabase(*database);
  const Result<std::string> loss = FindLoss(*database, answered);
  if (!loss.has_value() || loss->empty())
    return report;  // a damaged table meta was reported
                    // already
  ++report.problem_count;
  if (report.problems.size() == VerifyReport::kProblemsMax) report.problems.pop_back();
  report.problems.insert(report.problems.begin(), *loss);
  return report;
}

}  // namespace dray::store::sqlite
