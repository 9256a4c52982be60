// SPDX-License-Identifier: Apache-2.0
// dray whatif: whether work would fit into a cluster, and why not.
#include "planning/whatif/what_if.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/command_line/common_options.h"
#include "cli/input/offline_input.h"
#include "cli/questions/planned_work.h"
#include "cli/questions/questions.h"
#include "cli/questions/what_if_changes.h"
#include "cli/reports/what_if_report.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"

namespace dray::cli::inline questions {
namespace {

struct WhatIfOptions {
  OfflineInputOptions input;  // its paths: the cluster
  WorkQuestion question;
  bool all = false;
  std::string format = "text";
};

int CodeOf(const WhatIfAnswer& answer) {
  // If pods that go first are undecided, the answer for the work is not certain either.
  const int yes = answer.queued.undecided > 0 ? kExitUndecided : kExitYes;
  if (answer.copies.has_value() && *answer.copies > 0) return yes;
  if (answer.copies.has_value() && answer.reasons.empty()) return kExitUndecided;
  const int code =
      ExitCodeOf(answer.copies.has_value() ? VerdictsOf(answer.reasons) : VerdictsOf(answer.placed),
                 answer.is_cut_short);
  return code == kExitYes ? yes : code;
}

void Print(const WhatIfOptions& options, const WhatIfAnswer& answer, const Output& output) {
  if (IsCiForm(options.format)) {
    cli::Print(output.out, "{}", Composed(CiText(options.format, ReportOf(answer))));
  } else if (const OutputFormat format = FormatOf(options.format); format == OutputFormat::kText) {
    PrintText(answer, options.all, output);
  } else {
    output.Document(format, JsonOf(answer));
  }
}

/// Returns the exit code. Errors: bad options or unreadable input.
Result<int> RunWhatIf(World& world, const WhatIfOptions& options, const Output& output) {
  OfflineInputOptions everything = options.input;
  everything.is_live = everything.is_live || everything.paths.empty();
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, everything, output));
  if (!input.is_known) {
    return Fail(StatusReason::kBadRequest,
                "nothing was decided: the files of --cluster hold no objects that Dray knows");
  }
  WorkQuestion question = options.question;
  question.has_work = !options.input.work.empty();
  question.lists_devices =
      !IsCiForm(options.format) && FormatOf(options.format) != OutputFormat::kText;
  const Interruption interruption;
  allocator::SharedWork searching = SearchWorkOf(options.input);
  Progress progress(output, world.clock);
  Result<std::optional<WhatIfAnswer>> answered =
      PlanWork(world,
               options.input,
               input,
               question,
               {.cancelled = &interruption.flag(),
                .work = &searching,
                .note =
                    [&](std::string note) {
                      progress.Clear();
                      output.Notes(std::vector<std::string>{std::move(note)});
                    },
                .now = [&progress](std::string_view what) { progress.Now(what); }});
  progress.Clear();
  DRAY_TRY(const std::optional<WhatIfAnswer> found, std::move(answered));
  if (!found.has_value()) return kExitYes;
  const WhatIfAnswer& answer = *found;
  Print(options, answer, output);
  NoteWorkSpent(options.input, searching, output);
  if (answer.is_cut_short) NoteCutShort(output);
  return ExitCodeOf(CodeOf(answer), input, output);
}

void AddChanges(Command& command, WhatIfOptions& options) {
  const Option& replicas =
      command
          .Number("--replicas",
                  options.question.replicas,
                  "ask about NUMBER of each pod and workload (DaemonSets excepted)")
          .Between(1, planning::kCopiesMax);
  const Option& max = command
                          .Flag("--max",
                                options.question.max,
                                "how many copies of the work fit, and what the next one lacks")
                          .Excludes(replicas);
  command
      .Flag("--defragment",
            options.question.defragment,
            "where it does not fit, which pods would have to move so that it does")
      .Excludes(max);
  AddChangeOptions(command, options.question.changes);
}

}  // namespace

void AddWhatIf(Command& program) {
  const auto options = std::make_shared<WhatIfOptions>();
  Command& command =
      program.Add("whatif", "whether work would fit into a cluster, before it is there");
  command
      .Texts("-f, --filename PATH", options->input.work, "the work: file, folder or -; repeatable")
      .InGroup(kInputGroup);
  command
      .Texts("--cluster PATH",
             options->input.paths,
             "the cluster: dumps or manifests (default: the one kubectl asks); repeatable")
      .InGroup(kInputGroup);
  AddLiveInput(command, options->input);
  AddRules(command, options->input);
  AddAllowNothing(command, options->input.allows_nothing);
  AddChanges(command, *options);
  command.Text("--node NODE", options->input.node, "look at this node only");
  AddNamespaceOfObjects(command, options->input.namespace_);
  command.Flag("--all", options->all, "do not cut long lists short");
  AddOutput(command, options->format, {"text", "json", "yaml", "junit", "sarif", "github"});
  command.Notes(
      "The work: pods, claims that none of them uses, and workloads (Deployment, ReplicaSet, "
      "StatefulSet, DaemonSet, Job, CronJob, ReplicationController), which are asked about as the "
      "pods that they run. Changes happen in the order given, before the work comes. Pods that "
      "wait "
      "in the cluster already are placed as the scheduler would: before work of the same priority. "
      "The answer says which of them then run, and which no longer do. Nothing is written "
      "anywhere.\n"
      "Exit codes: 0 all of it fits (with --max: once at least), 1 it does not, 2 bad options, "
      "unreadable input or nothing to decide about, 3 a search was given up or ended by Ctrl-C.\n"
      "Examples:\n"
      "  dray whatif -f job.yaml --cluster dump.yaml\n"
      "  dray whatif -f job.yaml --cluster dump.yaml --max\n"
      "  dray whatif -f job.yaml --cluster dump.yaml --defragment\n"
      "  dray whatif --cluster dump.yaml --drain node-7");
  command.Does(
      [options](World& world, const Output& output) { return RunWhatIf(world, *options, output); });
}

}  // namespace dray::cli::inline questions
