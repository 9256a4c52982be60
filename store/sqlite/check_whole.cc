// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/check_whole.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/loss.h"
#include "store/sqlite/maintenance.h"
#include "store/sqlite/verify.h"

namespace dray::store::sqlite {

Result<> CheckWhole(Database& database, const SqliteOptions& options) {
  if (KeepsAnswered(options)) {
    DRAY_TRY(const std::string loss, FindLoss(database, ReadAnswered(database.file())));
    if (!loss.empty()) return Fail(Corrupt(database.file(), loss));
  }
  DRAY_TRY(const int64_t pages, database.QueryNumber("PRAGMA page_count"));
  if (static_cast<uint64_t>(pages * kPageBytes) > options.verified_bytes_max) return {};
  const VerifyReport report = VerifyDatabase(database);
  if (report.problem_count == 0) return {};
  std::string what = report.problems.front();
  if (report.problem_count > 1) what += fmt::format(", and {} more", report.problem_count - 1);
  return Fail(Corrupt(database.file(), what));
}

}  // namespace dray::store::sqlite
