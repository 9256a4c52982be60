// SPDX-License-Identifier: Apache-2.0
// Work on a store's file besides commits, in small steps between them:
//
//   folding     the table of live keys follows the log, so that opening replays little of it
//   compaction  records that were superseded at or below the floor are deleted
//   shrinking   pages that nothing uses are given back to the disk
//
// Each step is one transaction of bounded work, and none is synced: the next commit's flush covers
// it, and losing it loses nothing, because every step can be done again. The order of writes keeps
// that true. A record is deleted only when the table of live keys has followed the log past the
// revision that superseded it, and records go oldest first, before the ones that name them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "store/sequencer.h"
#include "store/sqlite/database.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"

namespace dray::store::sqlite {

/// Thread safety: none; the thread that commits owns it.
class Upkeep {
 public:
  /// Continues from what was read: `unfolded` are the changes after meta.folded, up to `newest`.
  static Result<std::unique_ptr<Upkeep>> Make(Database& database,
                                              const SqliteOptions& options,
                                              const Meta& meta,
                                              const Unfolded& unfolded,
                                              Revision newest);

  /// `change` is durable.
  void Note(const Change& change);
  /// Readers need nothing before `floor`. It is written, and what is below it deleted, when that is
  /// enough to be worth it. Called once for each batch of commits, carried out or not.
  void SetFloor(Revision floor) {
    wanted_floor_ = std::max(wanted_floor_, floor);
    if (pause_ > 0) --pause_;
  }
  /// The same, but now.
  void Force(Revision floor);

  bool has_work() const;

  /// What writing a page costs, where changing a row costs 1.
  static constexpr size_t kWorkPerPage = 8;

  /// Does about `work` units of work, at least one page's; nothing when there is nothing to do.
  ///
  /// Errors: of SQLite. Nothing is lost; has_work() is false until Force or some tens of batches
  /// later, so that a full disk is not tried again at once. The same without memory, which is no
  /// error here. If not even commits can be made durable as before, std::bad_alloc.
  Result<> Step(size_t work);

 private:
  struct Statements {
    Statement fold_put, fold_delete, scan, erase;
  };
  /// What a key holds since a change, as in Unfolded.
  struct Noted {
    std::string key;
    Revision revision{};
    Revision changed{};  // the revision even of a deletion
  };
  /// Changes on their way into the table of live keys, in key order, one of each key.
  struct Folding {
    std::vector<Noted> keys;
    size_t next = 0;
    Revision through{};
  };
  /// The record of `key` written at `revision`: nobody needs it.
  struct Dead {
    Revision revision{};
    std::string key;
  };
  /// A piece of the log whose superseded records are looked for, and then deleted.
  struct Compaction {
    int64_t scanned = 0;  // the last position looked at
    bool all_scanned = false;
    std::vector<Dead> dead;  // oldest first once all are scanned
    size_t erased = 0;
    Revision through{};
  };
  /// What a transaction changes here once it is committed.
  struct Progress {
    Meta meta;
    size_t fold_next = 0;
    size_t erased = 0;
    bool shrunk = false;
  };

  Upkeep(Database& database, const SqliteOptions& options, Statements statements)
      : database_(database), options_(options), statements_(std::move(statements)) {}

  void BeginWork();
  void EndWork(Progress progress);
  Result<> Scan(size_t rows);
  Result<> Write(size_t work, Progress& progress);
  Result<> Fold(size_t rows, Progress& progress);
  Result<> Erase(size_t work, Progress& progress);

  bool should_fold() const;
  bool should_write_floor() const;
  bool should_compact() const { return std::min(meta_.floor, meta_.folded) > meta_.compacted; }
  bool should_shrink() const { return free_pages_ > free_pages_wanted_; }

  Database& database_;
  const SqliteOptions& options_;
  Statements statements_;
  Meta meta_;          // as in the file
  Revision newest_{};  // the last change noted
  Revision wanted_floor_{};
  Revision forced_floor_{};
  std::deque<Noted> noted_;  // changes that are neither in the table nor in folding_, in order
  std::optional<Folding> folding_;
  std::optional<Compaction> compaction_;
  int64_t free_pages_ = 0;
  int64_t free_pages_wanted_ = 0;
  size_t pause_ = 0;  // batches until work that failed is tried again
};

}  // namespace dray::store::sqlite
