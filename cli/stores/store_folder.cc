// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/store_folder.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/kind.h"
#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "cli/stores/copy_watch.h"
#include "cli/stores/store_record_json.h"
#include "cli/stores/unreadable_records.h"
#include "store/sqlite/maintenance.h"

namespace dray::cli::inline stores {
namespace {

namespace sqlite = store::sqlite;

Facts FactsOf(const sqlite::FileStatus& status) {
  Facts facts;
  facts.AddText("file", "file", status.file);
  facts.AddText("identity", "id", status.id);
  facts.AddNumber("schema version", "schemaVersion", status.schema_version);
  facts.AddNumber("newest revision", "newestRevision", status.newest.value());
  facts.AddNumber("oldest revision", "oldestRevision", status.floor.value());
  facts.AddNumber("keys", "keys", static_cast<int64_t>(status.keys));
  facts.AddNumber("records", "records", static_cast<int64_t>(status.rows));
  facts.AddBytes("size", "sizeBytes", status.file_bytes);
  facts.AddBytes("unused", "unusedBytes", status.free_bytes);
  if (status.owner.has_value()) {
    facts.AddNumber("", "usedBy", *status.owner);
    facts.AddText("used by", "", fmt::format("process {}", *status.owner));
  } else {
    facts.AddText("used by", "", "nobody");
  }
  return facts;
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
  FolderCommand(World& world, const StoreOptions& options, const Output& output)
      : world_(world), options_(options), output_(output) {}

  Result<int> Run() {
    switch (options_.verb) {
      case StoreVerb::kStatus: return Status();
      case StoreVerb::kVerify: return Verify();
      case StoreVerb::kBackup: return Backup();
      case StoreVerb::kRestore: return Restore();
      case StoreVerb::kRepair: return Repair();
      case StoreVerb::kCompact: return Compact();
      case StoreVerb::kDump: return Dump();
    }
    return kExitUsage;
  }

 private:
  const std::string& folder() const { return options_.store.data_folder; }

  Result<int> Status() {
    DRAY_TRY(const sqlite::FileStatus status, sqlite::StatusOf(folder()));
    FactsOf(status).Print(options_.format, output_);
    return kExitYes;
  }

  Result<int> Verify() {
    DRAY_TRY(const sqlite::VerifyReport found, sqlite::Verify(folder()));
    UnreadableRecords unreadable;
    // Report problems of the file first, because they may also make records unreadable.
    const Result<> read = sqlite::Dump(folder(), {}, [&](const sqlite::DumpedRecord& record) {
      unreadable.Check(record.key, record.value);
      return Result<>();
    });
    if (!read.has_value() && found.problem_count == 0) return Fail(read.error());
    const uint64_t problem_count = found.problem_count + unreadable.count();
    const bool is_sound = problem_count == 0;
    Facts facts;
    facts.AddText("verdict", "", is_sound ? "sound" : fmt::format("{} problems", problem_count));
    facts.AddFlag("sound", is_sound);
    facts.AddNumber("newest revision", "newestRevision", found.newest.value());
    facts.AddNumber("keys", "keys", static_cast<int64_t>(found.keys));
    facts.AddNumber("records", "records", static_cast<int64_t>(found.rows));
    facts.AddNumber("", "problemCount", static_cast<int64_t>(problem_count));
    facts.AddTexts("problem", "problems", found.problems);
    unreadable.AddTo(facts);
    facts.Print(options_.format, output_);
    return is_sound ? kExitYes : kExitNo;
  }

  Result<int> Backup() {
    CopyWatch watch(output_, world_.clock, "backing up");
    const Result<sqlite::FileStatus> status =
        sqlite::Backup(folder(), options_.file, {.progress = [&](uint64_t done, uint64_t all) {
                         return watch.Step(done, all);
                       }});
    if (watch.is_ended()) return watch.ReportEnd(BackupEndText(options_.file));
    watch.Clear();
    if (!status.has_value()) return Fail(status.error());
    return Report(*status);
  }

  Result<int> Restore() {
    std::optional<CopyWatch> watch;  // from the first change on; before, signals end the process
    const auto progress = [&](uint64_t done, uint64_t all) {
      if (!watch) watch.emplace(output_, world_.clock, "restoring");
      return watch->Step(done, all);
    };
    const Result<sqlite::FileStatus> status =
        sqlite::Restore(options_.file,
                        folder(),
                        {.new_id = world_.random.Next(),
                         .skip_revisions = options_.skip_revisions,
                         .overwrite = options_.overwrite,
                         .progress = progress});
    if (watch && watch->is_ended()) {
      return watch->ReportEnd(fmt::format("restoring was ended; {} is as it was", folder()));
    }
    if (watch) watch->Clear();
    if (status.has_value()) return Report(*status);
    Error error = status.error();
    if (error.reason == StatusReason::kAlreadyExists) error.message += " (--overwrite)";
    return Fail(std::move(error));
  }

  Result<int> Repair() {
    DRAY_TRY(
        const sqlite::RepairReport report,
        sqlite::Repair(
            folder(), {.new_id = world_.random.Next(), .skip_revisions = options_.skip_revisions}));
    const bool kept_all = report.loss_count == 0;
    Facts facts;
    facts.AddText("verdict",
                  "",
                  report.was_sound ? "sound: nothing was changed"
                  : kept_all       ? "repaired"
                                   : fmt::format("repaired, {} losses", report.loss_count));
    facts.AddFlag("wasSound", report.was_sound);
    facts.AddNumber("keys", "keys", static_cast<int64_t>(report.status.keys));
    facts.AddNumber("newest revision", "newestRevision", report.status.newest.value());
    if (!report.was_sound) {
      facts.AddNumber("could be read up to", "readableRevision", report.readable.value());
      facts.AddNumber("was known up to", "knownRevision", report.known.value());
      facts.AddNumber("changes saved", "changesSaved", static_cast<int64_t>(report.changes_saved));
    }
    facts.AddNumber("", "lossCount", static_cast<int64_t>(report.loss_count));
    facts.AddTexts("lost", "losses", report.losses);
    facts.AddTexts("kept as it was", "setAside", report.set_aside);
    facts.Print(options_.format, output_);
    return kExitYes;
  }

  Result<int> Compact() {
    DRAY_TRY(const sqlite::FileStatus status, sqlite::CompactFolder(folder(), options_.revision));
    return Report(status);
  }

  /// Prints the state after a command that changes or copies.
  int Report(const sqlite::FileStatus& status) {
    if (options_.format == OutputFormat::kText) {
      cli::Print(output_.out, "{}\n", InOneLine(status));
    } else {
      FactsOf(status).Print(options_.format, output_);
    }
    return kExitYes;
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
      cli::Print(output_.out, "{}\n", Composed(PrintableJson(JsonLine(scheme, line))));
      if (std::ferror(output_.out) == 0) return {};
      return Fail(StatusReason::kInternalError, "the output cannot be written any further");
    };
    DRAY_TRY_VOID(sqlite::Dump(
        folder(),
        {.what = options_.log ? sqlite::DumpOptions::What::kLog : sqlite::DumpOptions::What::kLive,
         .prefix = options_.prefix},
        print));
    return kExitYes;
  }

  World& world_;
  const StoreOptions& options_;
  const Output& output_;
};

}  // namespace

Result<int> StoreInFolder(World& world, const StoreOptions& options, const Output& output) {
  return FolderCommand(world, options, output).Run();
}

}  // namespace dray::cli::inline stores
