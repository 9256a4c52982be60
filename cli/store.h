// SPDX-License-Identifier: Apache-2.0
// dray store: what an operator does with the store of `dray serve`, running or not.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/strong.h"
#include "base/world.h"
#include "cli/allocate.h"
#include "control_plane/store_choice.h"

namespace dray::cli {

enum class StoreVerb : uint8_t { kStatus, kVerify, kBackup, kRestore, kCompact, kDump };

struct StoreOptions {
  StoreVerb verb = StoreVerb::kStatus;
  control_plane::StoreChoice store;  // where; data_folder may also name a backup
  std::string file;                  // of backup and restore
  OutputFormat output = OutputFormat::kTable;
  std::optional<Revision> revision;    // of compact; none: the newest
  bool overwrite = false;              // of restore
  int64_t skip_revisions = 1'000'000;  // of restore
  std::string prefix;                  // of dump
  bool log = false;                    // of dump: all that is kept, not only what is live
  bool shows_progress = false;         // `notes` is a terminal
};

/// Writes the answer to `out`; progress and errors to `notes`. Returns the exit code: 0 done, and
/// with verify, nothing is wrong; 1 refused, failed, or verify has found something; 2 bad options,
/// or there is no store.
int Store(World& world, const StoreOptions& options, std::FILE* out, std::FILE* notes);

}  // namespace dray::cli
