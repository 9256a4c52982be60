// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/rest_vectors.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "tests/rest/player.h"
#include "tests/rest/scenario.h"
#include "tests/vectors/case_files.h"

namespace dray::rest {
namespace {

using vectors::ReadReasons;
using vectors::Reasons;

constexpr std::string_view kTaintTime = "/spec/taint/timeAdded";
// Limit of tries for a recording that was made within a second, because on a busy machine most
// replays take more than one.
constexpr int kTriesMax = 100;
constexpr std::string_view kIndex = "index.json";  // a list of scenarios, and none itself

/// The scenarios of a folder and of the folders in it.
Result<> Collect(Disk& disk, const std::string& path, std::vector<std::string>& files) {
  if (!disk.IsFolder(path)) {
    files.push_back(path);
    return {};
  }
  DRAY_TRY(const std::vector<std::string> names, disk.List(path));
  for (const std::string& name : names) {
    const std::string inside = fmt::format("{}/{}", path, name);
    if (disk.IsFolder(inside)) {
      DRAY_TRY_VOID(Collect(disk, inside, files));
    } else if (name.ends_with(".json") && name != kIndex) {
      files.push_back(inside);
    }
  }
  return {};
}

Result<Played> PlayInFolder(
    Disk& disk, const Scenario& scenario, const std::string& program, Stop stop, size_t number) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("dray-rest-{}-{}", getpid(), number);
  std::filesystem::create_directories(folder);
  Result<Played> played = Play(disk, scenario, program, folder.string(), stop);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return played;
}

/// Whether an answer depends on the second of a request. A taint without timeAdded gets the time,
/// so an equal write changes nothing within the same second, but does in the next.
bool DependsOnTheSecond(const Scenario& scenario) {
  return boost::json::serialize(scenario.document).contains(kTaintTime);
}

struct Outcome {
  std::string file;
  std::string name;
  std::optional<Result<Played>> played;  // nothing when it was not wanted
};

Outcome PlayOne(Disk& disk,
                const std::string& file,
                const RestOptions& options,
                const Reasons& except,
                size_t number) {
  const Result<Scenario> scenario = ReadScenario(disk, file);
  if (!scenario) return {.file = file, .name = {}, .played = Fail(scenario.error())};
  Outcome outcome{.file = file, .name = scenario->name, .played = std::nullopt};
  if (outcome.name.starts_with(options.name)) {
    // One difference is enough where one is expected.
    const Stop stop =
        options.name.empty() && except.contains(outcome.name) ? Stop::kAtDifference : Stop::kAtEnd;
    int tries = stop == Stop::kAtEnd && DependsOnTheSecond(*scenario) ? kTriesMax : 1;
    do {
      outcome.played = PlayInFolder(disk, *scenario, options.program, stop, number);
    } while (--tries > 0 && *outcome.played && !(*outcome.played)->differences.empty());
  }
  return outcome;
}

void Count(const Outcome& outcome,
           const RestOptions& options,
           const Reasons& except,
           vectors::Report& report) {
  if (!outcome.played) return;
  const Result<Played>& played = *outcome.played;
  if (!played) {
    report.not_played.push_back(fmt::format("{}: {}", outcome.file, played.error().message));
    return;
  }
  const std::vector<std::string>& differences = played->differences;
  const auto reason = except.find(outcome.name);
  if (reason != except.end() && options.name.empty()) {
    if (differences.empty()) {
      report.failures.push_back(
          fmt::format("{}: equal, though {} names it", outcome.name, options.except));
    } else {
      ++report.not_run[reason->second];
    }
  } else if (differences.empty()) {
    ++report.passed;
  } else if (options.name.empty()) {
    report.failures.push_back(fmt::format(
        "{}: {} differences, first {}", outcome.name, differences.size(), differences.front()));
  } else {
    for (const std::string& difference : differences) {
      report.failures.push_back(fmt::format("{}: {}", outcome.name, difference));
    }
  }
}

}  // namespace

Result<vectors::Report> RunRestVectors(Disk& disk,
                                       const std::vector<std::string>& paths,
                                       const RestOptions& options) {
  DRAY_TRY(const Reasons except, ReadReasons(disk, options.except));
  std::vector<std::string> files;
  for (const std::string& path : paths) DRAY_TRY_VOID(Collect(disk, path, files));
  std::vector<Outcome> outcomes(files.size());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> players;
    for (size_t i = 0; i < std::min(options.at_once, files.size()); ++i) {
      players.emplace_back([&] {
        for (size_t file = next++; file < files.size(); file = next++) {
          outcomes[file] = PlayOne(disk, files[file], options, except, file);
        }
      });
    }
  }
  if (files.empty()) return Fail(StatusReason::kBadRequest, "no scenario in what was named");
  vectors::Report report;
  size_t exchanges = 0;
  for (const Outcome& outcome : outcomes) {
    Count(outcome, options, except, report);
    if (outcome.played && *outcome.played) exchanges += (*outcome.played)->exchanges;
  }
  report.summary.push_back(fmt::format("{} exchanges and events", exchanges));
  return report;
}

}  // namespace dray::rest
