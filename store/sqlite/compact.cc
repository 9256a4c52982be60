// SPDX-License-Identifier: Apache-2.0
// Compaction of a folder that no server uses.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/check_whole.h"
#include "store/sqlite/database.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store_path.h"
#include "store/sqlite/upkeep.h"

namespace dray::store::sqlite {

Result<FileStatus> CompactFolder(const std::string& folder, std::optional<Revision> revision) {
  DRAY_TRY(const std::string file, ExistingStoreFile(folder));
  if (file == folder) {
    return Fail(StatusReason::kInvalid,
                fmt::format("{} is a file: name the data folder that it is in", folder));
  }
  {
    DRAY_TRY(const FolderLock lock, FolderLock::Take(folder));
    const SqliteOptions options{.free_pages_max = 0};
    DRAY_TRY(const std::unique_ptr<Database> database, OpenToServe(file, options, /*new_id=*/0));
    DRAY_TRY_VOID(CheckWhole(*database, options));
    DRAY_TRY_VOID(MakeDurable(*database));
    DRAY_TRY(const Meta meta, ReadMeta(*database));
    DRAY_TRY(const Revision newest, ReadNewest(*database, meta));
    const Revision floor = revision.value_or(newest);
    if (floor > newest) {
      return Fail(StatusReason::kTimeout,
                  fmt::format("revision {} is in the future, the newest of {} is {}",
                              floor.value(),
                              file,
                              newest.value()));
    }
    DRAY_TRY(const Unfolded unfolded, ReadUnfolded(*database, meta.folded));
    DRAY_TRY(const std::unique_ptr<Upkeep> upkeep,
             Upkeep::Make(*database, options, meta, unfolded, newest));
    upkeep->Force(floor);
    constexpr size_t kWorkPerStep = 4096;
    while (upkeep->has_work()) DRAY_TRY_VOID(upkeep->Step(kWorkPerStep));
    DRAY_TRY_VOID(database->RunCheckpoint(Database::Checkpoint::kReset));
  }
  return StatusOf(folder);
}

}  // namespace dray::store::sqlite
