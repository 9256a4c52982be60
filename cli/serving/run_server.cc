// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/run_server.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <stdio_ext.h>

#include "api/measured_release.h"
#include "api/other_gates.h"
#include "api/release.h"
#include "base/log.h"
#include "base/try.h"
#include "cli/command_line/commands.h"
#include "cli/dashboard/bundle.h"
#include "cli/serving/given_objects.h"
#include "cli/serving/serving.h"
#include "cli/terminal/early_stop.h"
#include "cli/terminal/stop_signals.h"
#include "control_plane/process.h"
#include "control_plane/store_choice.h"
#include "dray/profile.h"

namespace dray::cli::inline serving {
namespace {

/// A line about the emulated release, and how complete the emulation is.
std::string AboutRelease(api::Release release) {
  const std::string name = api::ReleaseName(release);
  const std::string profile = allocator::ToString(allocator::ProfileFor(release));
  if (!api::IsMeasured(release)) {
    return fmt::format(
        "it plays Kubernetes {}, which was not measured: its kinds and fields, with the rules of "
        "{}",
        name,
        api::ReleaseName(api::Release::k1_30));
  }
  if (release == api::Release::k1_30) return fmt::format("it plays Kubernetes {}", name);
  return fmt::format(
      "it plays Kubernetes {}; devices are chosen as by {}{}",
      name,
      profile,
      allocator::HasOwnProfile(release) ? "" : ", the nearest allocator that was measured");
}

void PrintServed(const control_plane::Process& process,
                 api::Release release,
                 const ServeOptions& options,
                 const Output& output,
                 const Log& log) {
  const std::string where = control_plane::WhereObjectsAre(options.store);
  if (options.log_format == LogFormat::kJson) {
    return log.Info("serving",
                    "version",
                    VersionLine(),
                    "url",
                    process.url(),
                    "objects",
                    where,
                    "kubeconfig",
                    process.kubeconfig());
  }
  cli::Print(output.out,
             "{} serves {}; objects are kept {}\n"
             "kubectl --kubeconfig {} get resourceslices\n",
             VersionLine(),
             process.url(),
             where,
             process.kubeconfig());
  if (options.ui && BundleOfBuild().why_none.empty()) {
    cli::Print(output.out, "dashboard: {}/ui/\n", process.url());
  }
  if (release != api::Release::kAny) cli::Print(output.out, "{}\n", AboutRelease(release));
  if (std::fflush(output.out) != 0) {  // not fatal: the server works without the message
    std::clearerr(output.out);
    __fpurge(output.out);
  }
}

/// Errors: why it cannot start; kBadRequest if the options are wrong.
Result<> Serve(World& world, const ServeOptions& options, const Output& output, const Log& log) {
  const StopSignals stop;  // before any thread exists
  EarlyStop early(stop);
  for (const PassedOver& flag : options.passed_over) {
    log.Info("flag is passed over", "flag", flag.flag, "because", flag.because);
  }
  DRAY_TRY(control_plane::ProcessOptions process_options, ProcessOptionsOf(world, options));
  DRAY_TRY(GivenObjects given, GivenObjects::Read(world.disk, options.files));
  process_options.waits_for_objects = !given.empty();
  const api::Release release = process_options.emulation.release;
  for (const std::string_view gate : api::OtherGatesIn(options.feature_gates, release)) {
    log.Info("flag is passed over",
             "flag",
             fmt::format("--feature-gates={}", gate),
             "because",
             "nothing of Dray depends on that gate");
  }
  std::optional<control_plane::Process> process;
  process.emplace(world, log, std::move(process_options));
  DRAY_TRY_VOID(process->Start());
  if (!given.empty()) {
    const auto report = [&](std::string_view refusal) {
      if (options.log_format == LogFormat::kJson) {
        log.Error("object of a file is refused", "why", refusal);
      } else {
        cli::Print(output.notes, "{}\n", refusal);
      }
    };
    const Result<> created =
        given.Create(process->client(),
                     process->scheme(),
                     {.world = world, .log = log, .refused = report, .is_stopping = [&] {
                        return early.came();
                      }});
    if (early.came()) {
      log.Info("server is stopped before all objects of the files are there");
      return {};
    }
    DRAY_TRY_VOID(created);
    process->NoteObjects();
    given = {};  // the texts of the files
  }
  if (early.End()) {
    log.Info("server has stopped", "why", "a signal came before it served");
    return {};
  }
  PrintServed(*process, release, options, output, log);
  const std::string_view signal = stop.Wait();
  const MonotonicTime reported = world.clock.Monotonic();
  process.reset();
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(world.clock.Monotonic() - reported);
  log.Info("server has stopped", "signal", signal, "milliseconds", took.count());
  return {};
}

}  // namespace

int RunServer(World& world,
              const ServeOptions& options,
              const Output& output,
              std::string_view program) {
  const Log log =
      Log::ToStderr(world.clock, {.least = options.log_level, .format = options.log_format});
  const Result<> served = Serve(world, options, output, log);
  if (served) return kExitYes;
  if (options.log_format == LogFormat::kJson) {
    log.Error("server does not start", "error", served.error().message);
  } else {
    cli::Print(output.notes, "{}: {}\n", program, served.error().message);
  }
  return served.error().reason == StatusReason::kBadRequest ? kExitUsage : kExitNo;
}

}  // namespace dray::cli::inline serving
