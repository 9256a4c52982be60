// SPDX-License-Identifier: Apache-2.0
// dray store: what an operator does with the store of `dray serve`, running or not.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/store_choice_options.h"
#include "cli/store_etcd.h"
#include "cli/store_folder.h"
#include "cli/store_options.h"
#include "control_plane/store_choice.h"

namespace dray::cli {
namespace {

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

Result<int> Store(World& world, const StoreOptions& options, const Output& output) {
  DRAY_TRY_VOID(control_plane::CheckStoreChoice(options.store));
  if (!options.store.etcd_servers.empty()) return StoreInEtcd(world, options, output);
  return StoreInFolder(world, options, output);
}

void AddOutput(CLI::App& command, StoreOptions& options) {
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&options](const std::string& word) { options.format = FormatOf(word); },
          "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}));
}

struct VerbText {
  const char* name;
  const char* says;
  const char* example;
};

/// One verb, on the store that --data-dir or --etcd-servers names.
CLI::App& AddVerb(CLI::App& store, StoreOptions& options, StoreVerb verb, const VerbText& text) {
  CLI::App* command = store.add_subcommand(text.name, text.says);
  command->footer(fmt::format("Example:\n  dray store {}", text.example));
  command->callback([&options, verb] { options.verb = verb; });
  AddStoreChoice(*command, options.store);
  return *command;
}

void AddCopies(CLI::App& store, StoreOptions& options) {
  CLI::App& backup = AddVerb(store,
                             options,
                             StoreVerb::kBackup,
                             {"backup",
                              "copy the newest state to a file; the server goes on",
                              "backup --data-dir ~/.dray monday.db"});
  backup.add_option("FILE", options.file, "file to make; it must not exist")->required();
  AddOutput(backup, options);
  CLI::App& restore = AddVerb(store,
                              options,
                              StoreVerb::kRestore,
                              {"restore",
                               "make a data folder, or an empty etcd, hold a backup",
                               "restore monday.db --data-dir new"});
  restore.add_option("FILE", options.file, "what `dray store backup` made")->required();
  restore.add_flag("--overwrite", options.overwrite, "replace the store that is in the folder");
  restore
      .add_option("--skip-revisions",
                  options.skip_revisions,
                  "go on so many revisions later, so that clients which saw changes after the "
                  "backup list again instead of missing some; a data folder's only")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max() / 2));
  AddOutput(restore, options);
}

void AddVerbs(CLI::App& store, StoreOptions& options) {
  using enum StoreVerb;
  AddOutput(
      AddVerb(store,
              options,
              kStatus,
              {"status", "how large the store is, and who uses it", "status --data-dir ~/.dray"}),
      options);
  AddOutput(AddVerb(store,
                    options,
                    kVerify,
                    {"verify",
                     "check the whole store, and that every object can be read",
                     "verify --data-dir monday.db"}),
            options);
  AddCopies(store, options);
  CLI::App& compact =
      AddVerb(store,
              options,
              kCompact,
              {"compact",
               "forget history and give its space back; no server may use the folder",
               "compact --data-dir ~/.dray"});
  compact.add_option_function<int64_t>(
      "--revision",
      [&options](int64_t revision) { options.revision = Revision{revision}; },
      "the oldest that can be read afterwards (default: the newest)");
  AddOutput(compact, options);
  CLI::App& dump = AddVerb(store,
                           options,
                           kDump,
                           {"dump",
                            "print each record as one line of JSON",
                            "dump --prefix /registry/resourceclaims/ | jq .value.status"});
  dump.add_option("--prefix", options.prefix, "only keys that begin so: /registry/pods/")
      ->type_name("KEY");
  dump.add_flag("--log", options.log, "everything that is kept, by revision, deletions too");
}

}  // namespace

Command AddStore(CLI::App& program) {
  const auto options = std::make_shared<StoreOptions>();
  CLI::App* const command = program.add_subcommand("store", "look after the store of dray serve");
  command->require_subcommand(1);
  AddVerbs(*command, *options);
  command->footer(
      "status, verify, backup and dump work while a server uses the folder; restore and compact "
      "do not. Instead of a data folder, --data-dir may name a backup. With --etcd-servers, "
      "backup makes etcd's own snapshot, and `etcdctl snapshot restore` restores it; restore "
      "fills an etcd without keys with the backup of a data folder.\n"
      "Exit codes: 0 done and nothing wrong, 1 refused, failed or something wrong, 2 bad options "
      "or no store, 130 a backup that Ctrl-C ended: nothing is left of it.\n"
      "Examples:\n"
      "  dray store backup --data-dir ~/.dray monday.db\n"
      "  dray store verify --data-dir monday.db\n"
      "  dray store dump --prefix /registry/resourceclaims/ | jq .value.status");
  return {.app = command, .run = [options](World& world, const Output& output) {
            UseDefaultFolder(options->store);
            const Result<int> code = Store(world, *options, output);
            if (code) return *code;
            output.Refuse("store", code.error().message);
            return ExitCodeOf(code.error().reason);
          }};
}

}  // namespace dray::cli
