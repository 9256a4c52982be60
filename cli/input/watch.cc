// SPDX-License-Identifier: Apache-2.0
#include "cli/input/watch.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "api/value/time.h"
#include "base/try.h"
#include "cli/input/live_changes.h"
#include "cli/terminal/stop_signals.h"

namespace dray::cli::inline input {
namespace {

/// The separator between two answers.
std::string Between(World& world, std::string_view format) {
  if (format == "text") return fmt::format("\n{}\n", api::Time::Of(world.clock.Now()).ToString());
  if (format == "yaml") return "---\n";
  return format == "json" ? "" : "\n";
}

void Print(std::string_view text, const Output& output) {
  cli::Print(output.out, "{}", Composed(text));
  std::fflush(output.out);
}

}  // namespace

Result<int> WatchAnswers(World& world,
                         const OfflineInputOptions& input,
                         const WatchOptions& options,
                         const std::function<Result<Said>()>& ask,
                         const Output& output) {
  if (!input.paths.empty() && !input.is_live) {
    return Fail(StatusReason::kBadRequest,
                "--watch: files do not change; it is for running clusters");
  }
  const std::string kubeconfig = KubeconfigOf(input);
  const StopSignals stop;  // before any thread exists
  DRAY_TRY(Said said, ask());
  DRAY_TRY(const auto changes, LiveChanges::Connect(world, kubeconfig, input.context));
  Print(said.text, output);
  changes->Follow(said.listed);
  while (!stop.WaitFor(kLookAgainAfter)) {
    if (!changes->any()) continue;
    Result<Said> now = ask();
    if (!now) {
      output.Refuse(options.command, now.error().message);
      if (now.error().reason == StatusReason::kBadRequest) return kExitUsage;
      continue;
    }
    if (now->text != said.text) Print(Between(world, options.format) + now->text, output);
    said = *std::move(now);
    changes->Follow(said.listed);
  }
  return said.code;
}

}  // namespace dray::cli::inline input
