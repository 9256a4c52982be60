// SPDX-License-Identifier: Apache-2.0
#include "cli/store.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/store_etcd.h"
#include "cli/store_record_json.h"
#include "cli/store_report.h"
#include "control_plane/store_choice.h"
#include "store/sqlite/maintenance.h"

namespace dray::cli {
namespace {

namespace sqlite = store::sqlite;

constexpr int kExitDone = 0;
constexpr int kExitNo = 1;
constexpr int kExitUsage = 2;

StoreReport ReportOf(const sqlite::FileStatus& status) {
  StoreReport report;
  report.AddText("file", "file", status.file);
  report.AddText("identity", "id", status.id);
  report.AddNumber("schema version", "schemaVersion", status.schema_version);
  report.AddNumber("newest revision", "newestRevision", status.newest.value());
  report.AddNumber("oldest revision", "oldestRevision", status.floor.value());
  report.AddNumber("keys", "keys", static_cast<int64_t>(status.keys));
  report.AddNumber("records", "records", static_cast<int64_t>(status.rows));
  report.AddBytes("size", "sizeBytes", status.file_bytes);
  report.AddBytes("unused", "unusedBytes", status.free_bytes);
  if (status.owner.has_value()) {
    report.AddNumber("", "usedBy", *status.owner);
    report.AddText("used by", "", fmt::format("process {}", *status.owner));
  } else {
    report.AddText("used by", "", "nobody");
  }
  return report;
}

/// "FILE: 3 keys, 17 records, revision 18".
std::string InOneLine(const sqlite::FileStatus& status) {
  return fmt::format("{}: {} keys, {} records, revision {}, {}",
                     status.file,
                     status.keys,
                     status.rows,
                     status.newest.value(),
                     BytesText(status.file_bytes));
}

/// One run of a command on a data folder.
class FolderCommand {
 public:
  FolderCommand(World& world, const StoreOptions& options, std::FILE* out, std::FILE* notes)
      : world_(world), options_(options), out_(out), notes_(notes) {}

  /// The exit code. Errors: those of store/sqlite/maintenance.h.
  Result<int> Run() {
    switch (options_.verb) {
      case StoreVerb::kStatus: return Status();
      case StoreVerb::kVerify: return Verify();
      case StoreVerb::kBackup: return Backup();
      case StoreVerb::kRestore: return Restore();
      case StoreVerb::kCompact: return Compact();
      case StoreVerb::kDump: return Dump();
    }
    return kExitUsage;
  }

 private:
  const std::string& folder() const { return options_.store.data_folder; }

  Result<int> Status() {
    DRAY_TRY(const sqlite::FileStatus status, sqlite::StatusOf(folder()));
    ReportOf(status).Print(options_.output, out_);
    return kExitDone;
  }

  Result<int> Verify() {
    DRAY_TRY(const sqlite::VerifyReport found, sqlite::Verify(folder()));
    const bool is_sound = found.problem_count == 0;
    StoreReport report;
    report.AddText(
        "verdict", "", is_sound ? "sound" : fmt::format("{} problems", found.problem_count));
    report.AddFlag("sound", is_sound);
    report.AddNumber("newest revision", "newestRevision", found.newest.value());
    report.AddNumber("keys", "keys", static_cast<int64_t>(found.keys));
    report.AddNumber("records", "records", static_cast<int64_t>(found.rows));
    report.AddNumber("", "problemCount", static_cast<int64_t>(found.problem_count));
    report.AddTexts("problem", "problems", found.problems);
    report.Print(options_.output, out_);
    return is_sound ? kExitDone : kExitNo;
  }

  Result<int> Backup() {
    sqlite::BackupOptions backup;
    if (options_.shows_progress) {
      backup.progress = [this](uint64_t done, uint64_t all) {
        fmt::print(notes_, "\rbackup: {} %", all == 0 ? 100 : done * 100 / all);
        std::fflush(notes_);
        return true;
      };
    }
    const Result<sqlite::FileStatus> status = sqlite::Backup(folder(), options_.file, backup);
    if (options_.shows_progress) fmt::print(notes_, "\n");
    if (!status.has_value()) return Fail(status.error());
    return Tell(*status);
  }

  Result<int> Restore() {
    const Result<sqlite::FileStatus> status =
        sqlite::Restore(options_.file,
                        folder(),
                        {.new_id = world_.random.Next(),
                         .skip_revisions = options_.skip_revisions,
                         .overwrite = options_.overwrite});
    if (status.has_value()) return Tell(*status);
    Error error = status.error();
    if (error.reason == StatusReason::kAlreadyExists) error.message += " (--overwrite)";
    return Fail(std::move(error));
  }

  Result<int> Compact() {
    DRAY_TRY(const sqlite::FileStatus status, sqlite::CompactFolder(folder(), options_.revision));
    return Tell(status);
  }

  /// What a command that changes or copies has left behind.
  int Tell(const sqlite::FileStatus& status) {
    if (options_.output == OutputFormat::kTable) {
      fmt::print(out_, "{}\n", InOneLine(status));
    } else {
      ReportOf(status).Print(options_.output, out_);
    }
    return kExitDone;
  }

  Result<int> Dump() {
    const api::Scheme scheme;
    const auto print = [&](const sqlite::DumpedRecord& record) -> Result<> {
      RecordLine line{.key = record.key,
                      .value = record.value,
                      .created = record.created,
                      .modified = record.revision,
                      .version = record.version,
                      .expiry = record.expiry,
                      .is_deletion = record.is_deletion};
      if (options_.log) line.replaced = record.replaced;
      fmt::print(out_, "{}\n", JsonLine(scheme, line));
      if (std::ferror(out_) == 0) return {};
      return Fail(StatusReason::kInternalError, "the output cannot be written any further");
    };
    DRAY_TRY_VOID(sqlite::Dump(
        folder(),
        {.what = options_.log ? sqlite::DumpOptions::What::kLog : sqlite::DumpOptions::What::kLive,
         .prefix = options_.prefix},
        print));
    return kExitDone;
  }

  World& world_;
  const StoreOptions& options_;
  std::FILE* out_;
  std::FILE* notes_;
};

/// What to blame: the options, or the store.
int ExitCodeOf(StatusReason reason) {
  switch (reason) {
    case StatusReason::kBadRequest:
    case StatusReason::kNotFound:
    case StatusReason::kForbidden:
    case StatusReason::kInvalid:
    case StatusReason::kTimeout: return kExitUsage;
    case StatusReason::kUnknown:
    case StatusReason::kUnauthorized:
    case StatusReason::kAlreadyExists:
    case StatusReason::kConflict:
    case StatusReason::kGone:
    case StatusReason::kServerTimeout:
    case StatusReason::kTooManyRequests:
    case StatusReason::kMethodNotAllowed:
    case StatusReason::kNotAcceptable:
    case StatusReason::kRequestEntityTooLarge:
    case StatusReason::kUnsupportedMediaType:
    case StatusReason::kInternalError:
    case StatusReason::kExpired:
    case StatusReason::kServiceUnavailable: return kExitNo;
  }
  return kExitNo;
}

Result<int> Run(World& world, const StoreOptions& options, std::FILE* out, std::FILE* notes) {
  DRAY_TRY_VOID(control_plane::CheckStoreChoice(options.store));
  if (!options.store.etcd_servers.empty()) return StoreInEtcd(world, options, out, notes);
  return FolderCommand(world, options, out, notes).Run();
}

}  // namespace

int Store(World& world, const StoreOptions& options, std::FILE* out, std::FILE* notes) {
  const Result<int> code = Run(world, options, out, notes);
  if (code.has_value()) return *code;
  fmt::print(notes, "dray store: {}\n", code.error().message);
  return ExitCodeOf(code.error().reason);
}

}  // namespace dray::cli
