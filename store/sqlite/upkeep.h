// SPDX-License-Identifier: Apache-2.0
// Work on a store's file besides commits, in small steps between them:
//
//   folding     the table of live keys is updated from the log, so opening replays little
//   compaction  records that were superseded at or below the floor are deleted
//   shrinking   pages that nothing uses are given back to the disk
//
// Each step is one transaction of bounded work, and none is synced: the next commit's flush covers
// it, and losing a step loses no data, because it can be done again. The order of writes ensures
// that. A record is deleted only when the table of live keys includes the revision that superseded
// it. Records are deleted oldest first, before the records that name them.
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
  /// Continues from what was recovered: `unfolded` are the changes after meta.folded, up to
  /// `newest`.
  static Result<std::unique_ptr<Upkeep>> Make(Database& database,
                                              const SqliteOptions& options,
                                              const Meta& meta,
                                              const Unfolded& unfolded,
                                              Revision newest);

  /// Call when `change` is durable.
  void Note(const Change& change);
  /// Declares that readers need nothing before `floor`. Upkeep writes the floor and deletes the
  /// records below it when that is enough to be worth it. Call once for each batch of commits, even
  /// if it failed.
  void SetFloor(Revision floor) {
    wanted_floor_ = std::max(wanted_floor_, floor);
    if (pause_ > 0) --pause_;
  }
  /// Like SetFloor, but without waiting until it is worth it.
  void Force(Revision floor);

  bool has_work() const;

  /// The cost of writing a page, where changing a row costs 1.
  static constexpr size_t kWorkPerPage = 8;

  /// Does about `work` units of work, at least one page's, if there is work.
  ///
  /// Errors: SQLite's. Nothing is lost. has_work() is then false for some tens of batches, or until
  /// Force, so that a full disk is not tried again at once. The same holds without memory, which is
  /// no error here. Throws std::bad_alloc if even commits can no longer be made durable as before.
  Result<> Step(size_t work);

 private:
  struct Statements {
    Statement fold_put, fold_delete, scan, erase;
  };
  /// The state of a key after a change, as in Unfolded.
  struct Noted {
    std::string key;
    Revision revision{};
    Revision changed{};  // the revision of the change, also of a deletion
  };
  /// Changes that are being written into the table of live keys, in key order, one for each key.
  struct Folding {
    std::vector<Noted> keys;
    size_t next = 0;
    Revision through{};
  };
  /// The record of `key` written at `revision`, which no reader needs.
  struct Dead {
    Revision revision{};
    std::string key;
  };
  /// A piece of the log that is scanned for superseded records, which are then deleted.
  struct Compaction {
    int64_t scanned = 0;  // the last position scanned
    bool all_scanned = false;
    std::vector<Dead> dead;  // oldest first once all are scanned
    size_t erased = 0;
    Revision through{};
  };
  /// Changes of a transaction to this object, applied once it is committed.
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
  std::deque<Noted> noted_;  // in order; changes that are neither in the table nor in folding_
  std::optional<Folding> folding_;
  std::optional<Compaction> compaction_;
  int64_t free_pages_ = 0;
  int64_t free_pages_wanted_ = 0;
  size_t pause_ = 0;  // batches until failed work is tried again
};

}  // namespace dray::store::sqlite
