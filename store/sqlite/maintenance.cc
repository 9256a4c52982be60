// SPDX-License-Identifier: Apache-2.0
// Status and dump. The other functions are in verify.cc, backup.cc, repair.cc and compact.cc.
#include "store/sqlite/maintenance.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store_path.h"

namespace dray::store::sqlite {
namespace {

DumpedRecord DumpedOf(const LogRow& row) {
  return {.revision = row.revision(),
          .ordinal = row.ordinal(),
          .is_deletion = !row.value.has_value(),
          .key = row.key,
          .value = row.value.value_or(""),
          .created = row.created,
          .version = row.version,
          .expiry = row.expiry,
          .replaced = row.replaced};
}

Result<> DumpLog(Database& database,
                 const std::string& prefix,
                 const std::function<Result<>(const DumpedRecord&)>& sink) {
  DRAY_TRY(Statement rows,
           database.Prepare(fmt::format("SELECT {} FROM log ORDER BY position", kRowColumns)));
  while (true) {
    DRAY_TRY(const bool found, rows.Step());
    if (!found) return {};
    DRAY_TRY(const LogRow row, ReadRow(rows, database.file()));
    if (row.key.starts_with(prefix)) DRAY_TRY_VOID(sink(DumpedOf(row)));
  }
}

Result<> DumpLive(Database& database,
                  const std::string& prefix,
                  const std::function<Result<>(const DumpedRecord&)>& sink) {
  DRAY_TRY(const Meta meta, ReadMeta(database));
  DRAY_TRY(const Unfolded unfolded, ReadUnfolded(database, meta.folded));
  DRAY_TRY(const std::vector<LiveKey> live, ReadLive(database, unfolded));
  DRAY_TRY(Statement rows,
           database.Prepare(fmt::format(
               "SELECT {} FROM log WHERE position BETWEEN ?1 AND ?2 AND key = ?3", kRowColumns)));
  for (const LiveKey& one : live) {
    if (!one.key.starts_with(prefix)) continue;
    rows.Bind(1, FirstPosition(one.revision)).Bind(2, LastPosition(one.revision)).Bind(3, one.key);
    DRAY_TRY(const bool found, rows.Step());
    if (!found) {
      return Fail(Corrupt(
          database.file(),
          fmt::format(
              "the record of {} at revision {} is not in the log", one.key, one.revision.value())));
    }
    DRAY_TRY(const LogRow row, ReadRow(rows, database.file()));
    DRAY_TRY_VOID(sink(DumpedOf(row)));
    rows.Reset();
  }
  return {};
}

}  // namespace

Result<FileStatus> StatusOf(const std::string& path) {
  DRAY_TRY(const std::unique_ptr<Database> database, OpenSnapshot(path));
  FileStatus status{.file = database->file()};
  DRAY_TRY(const Meta meta, ReadMeta(*database));
  status.id = meta.id;
  DRAY_TRY(status.schema_version, database->QueryNumber("PRAGMA user_version"));
  DRAY_TRY(status.newest, ReadNewest(*database, meta));
  status.floor = meta.floor;
  DRAY_TRY(const Unfolded unfolded, ReadUnfolded(*database, meta.folded));
  DRAY_TRY(const std::vector<LiveKey> live, ReadLive(*database, unfolded));
  status.keys = live.size();
  const auto number = [&](const char* sql) -> Result<uint64_t> {
    DRAY_TRY(const int64_t value, database->QueryNumber(sql));
    return static_cast<uint64_t>(value);
  };
  DRAY_TRY(status.rows, number("SELECT count(*) FROM log"));
  DRAY_TRY(const uint64_t pages, number("PRAGMA page_count"));
  DRAY_TRY(const uint64_t free_pages, number("PRAGMA freelist_count"));
  DRAY_TRY(const uint64_t page_bytes, number("PRAGMA page_size"));
  status.file_bytes = pages * page_bytes + FileBytes(database->file() + "-wal");
  status.free_bytes = free_pages * page_bytes;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) status.owner = OwnerOf(path);
  return status;
}

Result<> Dump(const std::string& path,
              const DumpOptions& options,
              const std::function<Result<>(const DumpedRecord&)>& sink) {
  DRAY_TRY(const std::unique_ptr<Database> database, OpenSnapshot(path));
  return options.what == DumpOptions::What::kLive ? DumpLive(*database, options.prefix, sink)
                                                  : DumpLog(*database, options.prefix, sink);
}

}  // namespace dray::store::sqlite
