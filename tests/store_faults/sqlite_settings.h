// SPDX-License-Identifier: Apache-2.0
// Settings with which a store in a file does all upkeep often: folding, compaction, shrinking,
// copying the log into the file.
#pragma once

#include "store/sqlite/options.h"
#include "store/store.h"

namespace dray::store_faults {

inline store::Options RestlessOptions() {
  return {.events_max = 60};
}

inline store::sqlite::SqliteOptions RestlessSqlite() {
  return {.recovered_events_max = 40,
          .fold_revisions = 7,
          .compact_revisions = 10,
          .free_pages_max = 2,
          .checkpoint_pages = 8};
}

}  // namespace dray::store_faults
