// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/upkeep.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/sqlite/database.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// Superseded records gathered before they are deleted. The more there are, the more of them share
/// a page; each takes about a hundred bytes of memory meanwhile.
constexpr size_t kDeadMax = 65'536;
/// Rows that are read in the time in which one is changed.
constexpr size_t kScansPerChange = 8;
/// Records further apart than this are taken to lie on different pages.
constexpr int64_t kRevisionsPerPage = 4;
/// Batches until work that failed is tried again.
constexpr size_t kRestBatches = 64;

}  // namespace

Result<std::unique_ptr<Upkeep>> Upkeep::Make(Database& database,
                                             const SqliteOptions& options,
                                             const Meta& meta,
                                             const Unfolded& unfolded,
                                             Revision newest) {
  Statements statements;
  DRAY_TRY(statements.fold_put, database.Prepare("INSERT OR REPLACE INTO live VALUES (?1, ?2)"));
  DRAY_TRY(statements.fold_delete, database.Prepare("DELETE FROM live WHERE key = ?1"));
  DRAY_TRY(statements.scan,
           database.Prepare("SELECT position, key, replaced, value IS NULL FROM log "
                            "WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3"));
  DRAY_TRY(statements.erase,
           database.Prepare("DELETE FROM log WHERE position BETWEEN ?1 AND ?2 AND key = ?3"));
  std::unique_ptr<Upkeep> upkeep(new Upkeep(database, options, std::move(statements)));
  upkeep->meta_ = meta;
  upkeep->newest_ = newest;
  upkeep->wanted_floor_ = meta.floor;
  for (const auto& [key, revision] : unfolded) {
    upkeep->noted_.push_back({.key = key, .revision = revision, .changed = meta.folded});
  }
  DRAY_TRY(upkeep->free_pages_, database.QueryNumber("PRAGMA freelist_count"));
  upkeep->free_pages_wanted_ = static_cast<int64_t>(options.free_pages_max);
  return upkeep;
}

void Upkeep::Note(const Change& change) {
  for (const Frozen<Event>& event : change.events) {
    const bool is_put = event->type == Event::Type::kPut;
    noted_.push_back({.key = std::string(event->record->key()),
                      .revision = is_put ? event->revision() : kAbsent,
                      .changed = event->revision()});
    newest_ = event->revision();
  }
}

void Upkeep::Force(Revision floor) {
  wanted_floor_ = std::max(wanted_floor_, floor);
  forced_floor_ = std::max(forced_floor_, floor);
  pause_ = 0;
}

bool Upkeep::should_fold() const {
  const int64_t behind = newest_.value() - meta_.folded.value();
  return behind > 0 && (behind >= static_cast<int64_t>(options_.fold_revisions) ||
                        std::max(forced_floor_, meta_.floor) > meta_.folded);
}

bool Upkeep::should_write_floor() const {
  const int64_t behind = wanted_floor_.value() - meta_.floor.value();
  return behind >= static_cast<int64_t>(options_.compact_revisions) || forced_floor_ > meta_.floor;
}

bool Upkeep::has_work() const {
  return pause_ == 0 && (folding_.has_value() || compaction_.has_value() || should_fold() ||
                         should_write_floor() || should_compact() || should_shrink());
}

void Upkeep::BeginWork() {
  if (!folding_.has_value() && should_fold()) {
    std::vector<Noted> keys;
    keys.reserve(noted_.size());  // the only one that needs memory: nothing is lost without it
    std::ranges::move(noted_, std::back_inserter(keys));
    noted_.clear();
    std::ranges::sort(keys, [](const Noted& a, const Noted& b) {
      const int order = a.key.compare(b.key);
      return order == 0 ? a.changed < b.changed : order < 0;
    });
    // Only the last of a key's changes counts.
    const auto is_same = [](const Noted& a, const Noted& b) { return a.key == b.key; };
    const auto older = std::ranges::unique(keys.rbegin(), keys.rend(), is_same);
    keys.erase(keys.begin(), older.begin().base());
    folding_.emplace(Folding{.keys = std::move(keys), .through = newest_});
  }
  if (!compaction_.has_value() && !folding_.has_value() && should_compact()) {
    compaction_.emplace(Compaction{.scanned = LastPosition(meta_.compacted)});
  }
}

Result<> Upkeep::Step(size_t work) {
  if (!has_work()) return {};
  Result<> done;
  const auto attempt = [&]() -> Result<> {
    BeginWork();
    if (!folding_.has_value() && compaction_.has_value() && !compaction_->all_scanned) {
      return Scan(work * kScansPerChange);
    }
    Progress progress{.meta = meta_, .fold_next = 0, .erased = 0, .shrunk = false};
    if (folding_.has_value()) progress.fold_next = folding_->next;
    if (compaction_.has_value()) progress.erased = compaction_->erased;
    DRAY_TRY_VOID(database_.Execute("PRAGMA synchronous=NORMAL"));
    DRAY_TRY(Transaction transaction, Transaction::Begin(database_));
    DRAY_TRY_VOID(Write(work, progress));
    DRAY_TRY_VOID(transaction.Commit());
    EndWork(std::move(progress));
    return {};
  };
  const bool ran_out = RanOutOfMemory([&] { done = attempt(); });
  // Whatever happened: commits are synced.
  const Result<> restored = database_.Execute("PRAGMA synchronous=FULL");
  if (ran_out || !done.has_value()) pause_ = kRestBatches;
  return done.has_value() ? restored : done;
}

Result<> Upkeep::Write(size_t work, Progress& progress) {
  if (folding_.has_value()) return Fold(work, progress);
  if (should_write_floor()) {
    progress.meta.floor = wanted_floor_;
    return WriteMeta(database_, "floor", wanted_floor_);
  }
  if (compaction_.has_value()) return Erase(work, progress);
  progress.shrunk = true;
  return database_.Execute(
      fmt::format("PRAGMA incremental_vacuum({})", std::max<size_t>(1, work / kWorkPerPage)));
}

void Upkeep::EndWork(Progress progress) {
  meta_ = std::move(progress.meta);
  if (folding_.has_value()) {
    folding_->next = progress.fold_next;
    if (meta_.folded == folding_->through) folding_.reset();
  } else if (compaction_.has_value() && compaction_->all_scanned) {
    compaction_->erased = progress.erased;
    if (meta_.compacted == compaction_->through) compaction_.reset();
  }
  // Shrinking begins above the limit and goes on to half of it, so that it does not begin again
  // with the next page.
  const auto limit = static_cast<int64_t>(options_.free_pages_max);
  const Result<int64_t> free_pages = database_.QueryNumber("PRAGMA freelist_count");
  const int64_t before = std::exchange(free_pages_, free_pages.value_or(0));
  if (progress.shrunk && free_pages_ >= before) free_pages_ = 0;  // as small as it gets
  if (free_pages_ > limit) free_pages_wanted_ = limit / 2;
  if (free_pages_ <= free_pages_wanted_) free_pages_wanted_ = limit;
}

Result<> Upkeep::Fold(size_t rows, Progress& progress) {
  for (; rows > 0 && progress.fold_next < folding_->keys.size(); --rows, ++progress.fold_next) {
    const auto& [key, revision, changed] = folding_->keys[progress.fold_next];
    if (revision == kAbsent) {
      DRAY_TRY_VOID(statements_.fold_delete.Bind(1, key).Run());
    } else {
      DRAY_TRY_VOID(statements_.fold_put.Bind(1, key).Bind(2, revision.value()).Run());
    }
  }
  if (progress.fold_next < folding_->keys.size()) return {};
  progress.meta.folded = folding_->through;
  return WriteMeta(database_, "folded", folding_->through);
}

Result<> Upkeep::Scan(size_t rows) {
  Compaction& compaction = *compaction_;
  const Revision last = std::min(meta_.floor, meta_.folded);
  statements_.scan.Bind(1, compaction.scanned)
      .Bind(2, LastPosition(last))
      .Bind(3, static_cast<int64_t>(rows));
  const ResetAtEnd reset(statements_.scan);
  size_t seen = 0;
  for (;; ++seen) {
    DRAY_TRY(const bool found, statements_.scan.Step());
    if (!found) break;
    const int64_t position = statements_.scan.Number(0);
    const std::string_view key = statements_.scan.Bytes(1);
    const Revision replaced{statements_.scan.Number(2)};
    const bool is_deletion = statements_.scan.Number(3) != 0;
    const Revision revision{position >> kOrdinalBits};
    if (replaced != kAbsent) compaction.dead.push_back({replaced, std::string(key)});
    if (is_deletion) compaction.dead.push_back({revision, std::string(key)});
    compaction.scanned = position;
  }
  const bool at_end = seen < rows;
  if (!at_end && compaction.dead.size() < kDeadMax) return {};
  compaction.all_scanned = true;
  // The last revision seen may have more rows, so it is read again. Rows deleted by then do not
  // matter.
  compaction.through =
      at_end ? last : std::max(meta_.compacted, Revision{(compaction.scanned >> kOrdinalBits) - 1});
  std::ranges::sort(compaction.dead, {}, &Dead::revision);
  return {};
}

Result<> Upkeep::Erase(size_t work, Progress& progress) {
  const std::vector<Dead>& dead = compaction_->dead;
  int64_t last = 0;
  for (size_t done = 0; done < work && progress.erased < dead.size(); ++progress.erased) {
    const Dead& gone = dead[progress.erased];
    const bool is_elsewhere = gone.revision.value() - last > kRevisionsPerPage;
    done += is_elsewhere ? kWorkPerPage : 1;
    last = gone.revision.value();
    DRAY_TRY_VOID(statements_.erase.Bind(1, FirstPosition(gone.revision))
                      .Bind(2, LastPosition(gone.revision))
                      .Bind(3, gone.key)
                      .Run());
  }
  if (progress.erased < dead.size()) return {};
  progress.meta.compacted = compaction_->through;
  return WriteMeta(database_, "compacted", compaction_->through);
}

}  // namespace dray::store::sqlite
