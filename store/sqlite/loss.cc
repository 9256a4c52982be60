// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/loss.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sqlite/files.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/salvage.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/wal_scan.h"

namespace dray::store::sqlite {
namespace {

std::string LossText(const std::string& file, Revision newest, Revision last, const char* which) {
  return fmt::format(
      "it has lost changes: it ends at revision {}, and changes up to revision {} {}; {}",
      newest.value(),
      last.value(),
      which,
      DescribeWal(file));
}

/// A crash leaves at most one commit behind a damaged page: the one that waited for the disk. If
/// there are two, at least the first one was answered.
Result<std::string> FindLostLog(const Database& database, Revision newest) {
  const auto log = ReadWholeFile(database.file() + "-wal");
  if (!log.has_value() || log->empty()) return std::string();
  const WalScan scan = ScanWal(*log, kPageBytes);
  SavedRows behind;
  size_t commits = 0;
  size_t rows_before = 0;
  for (size_t i = scan.committed; i < scan.frames.size(); ++i) {
    const WalFrame& frame = scan.frames[i];
    if (!frame.has_salt || frame.page == 0) continue;
    const auto nothing = [](uint32_t) { return std::string_view(); };
    SalvagePage(std::string_view(*log).substr(frame.at, scan.page_bytes),
                frame.page,
                newest,
                nothing,
                behind);
    if (!frame.ends_commit) continue;
    if (behind.size() > rows_before) ++commits;
    rows_before = behind.size();
  }
  if (commits < 2) return std::string();
  return LossText(database.file(),
                  newest,
                  Revision{behind.rbegin()->first >> kOrdinalBits},
                  "stand in its log");
}

}  // namespace

Result<std::string> FindLoss(Database& database, const std::optional<Answered>& answered) {
  DRAY_TRY(const Meta meta, ReadMeta(database));
  DRAY_TRY(const Revision newest, ReadNewest(database, meta));
  if (!answered.has_value() || answered->store != NumberOfId(meta.id)) {
    return FindLostLog(database, newest);
  }
  if (newest >= answered->revision) return std::string();
  return LossText(database.file(), newest, answered->revision, "were answered");
}

}  // namespace dray::store::sqlite
