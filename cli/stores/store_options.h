// SPDX-License-Identifier: Apache-2.0
// What dray store is asked to do, wherever the store is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/strong.h"
#include "cli/terminal/output.h"
#include "control_plane/store_choice.h"

namespace dray::cli::inline stores {

enum class StoreVerb : uint8_t { kStatus, kVerify, kBackup, kRestore, kRepair, kCompact, kDump };

struct StoreOptions {
  StoreVerb verb = StoreVerb::kStatus;
  control_plane::StoreChoice store;  // where; data_folder may also name a backup
  std::string file;                  // of backup and restore
  OutputFormat format = OutputFormat::kText;
  std::optional<Revision> revision;    // of compact; none: the newest
  bool overwrite = false;              // of restore
  int64_t skip_revisions = 1'000'000;  // of restore and repair
  std::string prefix;                  // of dump
  bool log = false;                    // of dump: all that is kept, not only what is live
};

}  // namespace dray::cli::inline stores
