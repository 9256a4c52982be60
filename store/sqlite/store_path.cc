// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/store_path.h"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "store/sqlite/database.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/options.h"
#include "store/sqlite/schema.h"

namespace dray::store::sqlite {

Result<std::string> ExistingStoreFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    if (status.type() == std::filesystem::file_type::not_found) {
      return Fail(
          StatusReason::kNotFound,
          fmt::format("there is no folder or file {}: name a data folder or a backup", path));
    }
    return Fail(StatusReason::kForbidden,
                fmt::format("{} cannot be looked at: {}", path, error.message()));
  }
  if (!std::filesystem::is_directory(status)) return path;
  std::string file = StoreFile(path);
  if (std::filesystem::exists(file, error)) return file;
  if (error) {
    return Fail(StatusReason::kForbidden,
                fmt::format("{} cannot be looked at: {}", file, error.message()));
  }
  return Fail(StatusReason::kNotFound,
              fmt::format("the folder {} has no store (no file dray.db)", path));
}

Result<std::unique_ptr<Database>> OpenSnapshot(const std::string& path) {
  DRAY_TRY(const std::string file, ExistingStoreFile(path));
  DRAY_TRY(std::unique_ptr<Database> database, OpenToRead(file, SqliteOptions{}));
  DRAY_TRY_VOID(database->Execute("BEGIN"));
  DRAY_TRY_VOID(database->QueryNumber("SELECT count(*) FROM meta"));  // the read takes the snapshot
  return database;
}

}  // namespace dray::store::sqlite
