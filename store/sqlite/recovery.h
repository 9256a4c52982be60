// SPDX-License-Identifier: Apache-2.0
// Reads a store's file when it is opened: the newest state and the end of the history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/snapshot.h"
#include "store/sqlite/database.h"
#include "store/sqlite/options.h"
#include "store/sqlite/schema.h"
#include "store/store.h"

namespace dray::store::sqlite {

/// Keys that changed after the last change in the table `live`, with the revision of their value;
/// kAbsent if they were deleted.
using Unfolded = std::map<std::string, Revision, std::less<>>;

struct Recovered {
  Meta meta;
  Frozen<Snapshot> newest;
  /// All events after `floor`, oldest first. The floor is the file's, or later if the file has more
  /// events than the limit for reading back.
  std::vector<Frozen<Event>> events;
  Revision floor{};
  Unfolded unfolded;
};

/// Reads the store in one pass over its log, in the order of the disk. Reads only records that are
/// live or part of the recent history, and steps over the others. O(live keys + log rows).
///
/// Errors: kInternalError  a record that was read is damaged or contradicts others.
Result<Recovered> Recover(Database& database,
                          const Options& options,
                          const SqliteOptions& sqlite_options);

/// The keys changed by rows after `folded`, and the table `live` with these changes applied: each
/// live key with its revision, in key order.
struct LiveKey {
  std::string key;
  Revision revision{};
};
Result<Unfolded> ReadUnfolded(Database& database, Revision folded);
Result<std::vector<LiveKey>> ReadLive(Database& database, const Unfolded& unfolded);

/// The last revision that was given to a commit.
Result<Revision> ReadNewest(Database& database, const Meta& meta);

}  // namespace dray::store::sqlite
