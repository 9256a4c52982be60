// SPDX-License-Identifier: Apache-2.0
// The options of dray store, for every kind of store.
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
  control_plane::StoreChoice store;  // data_folder may also name a backup
  std::string file;                  // of backup and restore
  OutputFormat format = OutputFormat::kText;
  std::optional<Revision> revision;    // for compact; absent: the newest
  bool overwrite = false;              // for restore
  int64_t skip_revisions = 1'000'000;  // for restore and repair
  std::string prefix;                  // for dump
  bool log = false;                    // for dump: the whole history, not only live records
};

}  // namespace dray::cli::inline stores
