// SPDX-License-Identifier: Apache-2.0
// dray store: maintenance of the store of `dray serve`, which may be running or not.
#include "cli/stores/store.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "cli/stores/store_choice_options.h"
#include "cli/stores/store_etcd.h"
#include "cli/stores/store_folder.h"
#include "cli/stores/store_options.h"
#include "cli/terminal/output.h"
#include "control_plane/store_choice.h"

namespace dray::cli::inline stores {
namespace {

/// Whether the options or the store are at fault.
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

Result<int> AskStore(World& world, const StoreOptions& options, const Output& output) {
  DRAY_TRY_VOID(control_plane::CheckStoreChoice(options.store));
  if (!options.store.etcd_servers.empty()) return StoreInEtcd(world, options, output);
  return StoreInFolder(world, options, output);
}

/// Returns the exit code.
int RunStore(World& world, StoreOptions& options, const Output& output) {
  UseDefaultFolder(options.store);
  const Result<int> code = AskStore(world, options, output);
  if (code) return *code;
  output.Refuse("store", code.error().message);
  return ExitCodeOf(code.error().reason);
}

void AddOutput(Command& command, StoreOptions& options) {
  command
      .Text(
          "-o, --output",
          [&options](const std::string& word) { options.format = FormatOf(word); },
          "text or json (default: text)")
      .OneOf({"text", "json"});
}

struct VerbText {
  const char* name;
  const char* says;
  const char* example;
};

/// Adds a verb, which works on the store that --data-dir or --etcd-servers names.
Command& AddVerb(Command& store,
                 const std::shared_ptr<StoreOptions>& options,
                 StoreVerb verb,
                 const VerbText& text) {
  Command& command = store.Add(text.name, text.says);
  command.Notes(fmt::format("Example:\n  dray store {}", text.example));
  AddStoreChoice(command, options->store);
  command.Does([options, verb](World& world, const Output& output) {
    options->verb = verb;
    return RunStore(world, *options, output);
  });
  return command;
}

void AddCopies(Command& store, const std::shared_ptr<StoreOptions>& options) {
  Command& backup = AddVerb(store,
                            options,
                            StoreVerb::kBackup,
                            {"backup",
                             "copy the newest state to a file while the server runs",
                             "backup --data-dir ~/.dray monday.db"});
  backup.Text("FILE", options->file, "file to make; it must not exist").Required();
  AddOutput(backup, *options);
  Command& restore = AddVerb(store,
                             options,
                             StoreVerb::kRestore,
                             {"restore",
                              "make a data folder, or an empty etcd, hold a backup",
                              "restore monday.db --data-dir new"});
  restore.Text("FILE", options->file, "what `dray store backup` made").Required();
  restore.Flag("--overwrite", options->overwrite, "replace the store that is in the folder");
  restore
      .Number("--skip-revisions",
              options->skip_revisions,
              "skip so many revisions, so that clients which saw changes after the "
              "backup list again instead of missing some; a data folder's only")
      .ShowsDefault()
      .Between(0, std::numeric_limits<int64_t>::max() / 2);
  AddOutput(restore, *options);
}

void AddVerbs(Command& store, const std::shared_ptr<StoreOptions>& options) {
  using enum StoreVerb;
  AddOutput(
      AddVerb(store,
              options,
              kStatus,
              {"status", "how large the store is, and who uses it", "status --data-dir ~/.dray"}),
      *options);
  AddOutput(AddVerb(store,
                    options,
                    kVerify,
                    {"verify",
                     "check the whole store, and that every object can be read",
                     "verify --data-dir monday.db"}),
            *options);
  AddCopies(store, options);
  Command& repair =
      AddVerb(store,
              options,
              kRepair,
              {"repair",
               "make a store of what can be kept of a damaged one; no server may use the folder",
               "repair --data-dir ~/.dray"});
  repair
      .Number("--skip-revisions",
              options->skip_revisions,
              "continue so many revisions after the newest one found, so that none is "
              "given to a second change")
      .ShowsDefault()
      .Between(1, std::numeric_limits<int64_t>::max() / 2);
  AddOutput(repair, *options);
  Command& compact =
      AddVerb(store,
              options,
              kCompact,
              {"compact",
               "forget history and give its space back; no server may use the folder",
               "compact --data-dir ~/.dray"});
  compact.Number(
      "--revision",
      [options](int64_t revision) { options->revision = Revision{revision}; },
      "the oldest that can be read afterwards (default: the newest)");
  AddOutput(compact, *options);
  Command& dump = AddVerb(store,
                          options,
                          kDump,
                          {"dump",
                           "print each record as one line of JSON",
                           "dump --prefix /registry/resourceclaims/ | jq .value.status"});
  dump.Text("--prefix KEY", options->prefix, "only keys that begin so: /registry/pods/");
  dump.Flag("--log", options->log, "everything that is kept, by revision, deletions too");
}

}  // namespace

void AddStore(Command& program) {
  const auto options = std::make_shared<StoreOptions>();
  Command& command = program.Add("store", "look after the store of dray serve");
  AddVerbs(command, options);
  command.Notes(
      "status, verify, backup and dump work while a server uses the folder; restore, repair and "
      "compact do not. Instead of a data folder, --data-dir may name a backup. With "
      "--etcd-servers, "
      "backup makes etcd's own snapshot, and `etcdctl snapshot restore` restores it; restore "
      "fills an etcd without keys with the backup of a data folder.\n"
      "Exit codes: 0 done and nothing wrong, 1 refused, failed or something wrong, 2 bad options "
      "or no store, 130 a backup that Ctrl-C ended: nothing is left of it.\n"
      "Examples:\n"
      "  dray store backup --data-dir ~/.dray monday.db\n"
      "  dray store verify --data-dir monday.db\n"
      "  dray store dump --prefix /registry/resourceclaims/ | jq .value.status");
}

}  // namespace dray::cli::inline stores
