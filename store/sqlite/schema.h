// SPDX-License-Identifier: Apache-2.0
// The format of a store's file. docs/design/store-sqlite.md explains the reasons.
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
/// The version written, in SQLite's user_version, and the newest that can be read. A file of each
/// version is in tests/data/store/.
inline constexpr int64_t kSchemaVersion = 1;

/// The table `meta`. At all times compacted <= folded, and compacted <= floor.
struct Meta {
  std::string id;        // the store's identity
  Revision floor{};      // history before it is dropped; no less than the revision of any deleted
                         // row, so the newest revision is max(floor, last row)
  Revision folded{};     // the table `live` has the state of this revision
  Revision compacted{};  // records superseded up to this revision have been deleted
};

/// Opens the store in `file` to serve it, or creates one with the identity `new_id` if there is
/// none. An existing store is not changed, not even when it is closed, until MakeDurable.
///
/// Errors: as in store/sqlite/maintenance.h; kInternalError also where nothing is left of a store.
Result<std::unique_ptr<Database>> OpenToServe(const std::string& file,
                                              const SqliteOptions& options,
                                              uint64_t new_id);

/// Makes the contents of the write-ahead log that a crash left durable by copying them into the
/// file.
Result<> MakeDurable(Database& database);

/// Opens the store in `file` for reading; another process may serve it.
Result<std::unique_ptr<Database>> OpenToRead(const std::string& file, const SqliteOptions& options);

/// Errors: kInternalError  a row is missing or has an impossible value.
Result<Meta> ReadMeta(Database& database);
/// Sets one of Meta's revisions by its name.
Result<> WriteMeta(Database& database, const char* name, Revision revision);
Result<> WriteId(Database& database, uint64_t id);

}  // namespace dray::store::sqlite
