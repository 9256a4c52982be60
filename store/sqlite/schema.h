// SPDX-License-Identifier: Apache-2.0
// What a store's file looks like, and what makes it one. docs/design/store-sqlite.md says why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/strong.h"
#include "store/sqlite/database.h"
#include "store/sqlite/options.h"

namespace dray::store::sqlite {

/// "DRAY", in SQLite's application_id.
inline constexpr int64_t kApplicationId = 0x44'52'41'59;
/// The version written, in SQLite's user_version, and the newest that is read. A file of each
/// version is in tests/data/store/.
inline constexpr int64_t kSchemaVersion = 1;

/// The table `meta`. At all times compacted <= folded, and compacted <= floor.
struct Meta {
  std::string id;        // the store's identity
  Revision floor{};      // history before it is forgotten; no less than any revision rows had
                         // before they were deleted, so the newest is max(floor, last row)
  Revision folded{};     // the table `live` is right as of this revision
  Revision compacted{};  // what was superseded up to this revision has been deleted
};

/// Opens the store in `file` to serve it, or makes one with the identity `new_id` if there is none.
/// Of a store that is there nothing is changed, also when it is closed, until MakeDurable.
///
/// Errors: as in store/sqlite/maintenance.h; kInternalError also where nothing is left of a store.
Result<std::unique_ptr<Database>> OpenToServe(const std::string& file,
                                              const SqliteOptions& options,
                                              uint64_t new_id);

/// Makes durable what a crash left in the write-ahead log, which is copied into the file.
Result<> MakeDurable(Database& database);

/// Opens the store in `file` to look at it; another process may serve it.
Result<std::unique_ptr<Database>> OpenToRead(const std::string& file, const SqliteOptions& options);

/// Errors: kInternalError  a row is missing, or says what cannot be.
Result<Meta> ReadMeta(Database& database);
/// Sets one of Meta's revisions by its name.
Result<> WriteMeta(Database& database, const char* name, Revision revision);
Result<> WriteId(Database& database, uint64_t id);

}  // namespace dray::store::sqlite
