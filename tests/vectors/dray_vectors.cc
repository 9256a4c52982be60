// SPDX-License-Identifier: Apache-2.0
// dray-vectors KIND DIR|FILE…: runs vectors of a kind and prints each failure. Exit code 0 when all
// that could be run passed, 1 when some failed, 2 for bad usage or unreadable files.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "tests/vectors/allocator_vectors.h"

namespace {

using dray::Disk;
using dray::Result;
using dray::vectors::Report;

constexpr std::string_view kUsage =
    "usage: dray-vectors KIND [--profile NAME] DIR|FILE…\n"
    "kinds: allocator    problems and upstream's answers, JSON Lines (default profile "
    "v0.37.2/incubating)\n";

/// The .jsonl files of all folders named, and the files named.
Result<std::vector<std::string>> Collect(Disk& disk, const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!disk.IsFolder(path)) {
      files.push_back(path);
      continue;
    }
    DRAY_TRY(const std::vector<std::string> names, disk.List(path));
    for (const std::string& name : names) {
      if (name.ends_with(".jsonl") && !name.contains("v0.31.8")) files.push_back(path + "/" + name);
    }
  }
  return files;
}

int Print(const Report& report) {
  for (const std::string& failure : report.failures) fmt::print("FAILED {}\n", failure);
  for (const auto& [reason, count] : report.not_run)
    fmt::print("not run: {} ({})\n", count, reason);
  fmt::print("{} passed, {} failed\n", report.passed, report.failures.size());
  return report.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  dray::vectors::AllocatorOptions options;
  const auto profile = std::ranges::find(arguments, "--profile");
  if (profile != arguments.end() && profile + 1 != arguments.end()) {
    options.profile = *(profile + 1);
    arguments.erase(profile, profile + 2);
  }
  if (arguments.size() < 2 || arguments[0] != "allocator") {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  Disk& disk = dray::RealWorld().disk;
  const auto files = Collect(disk, {arguments.begin() + 1, arguments.end()});
  const auto report = files ? dray::vectors::RunAllocatorVectors(disk, *files, options)
                            : Result<Report>(std::unexpected(files.error()));
  if (!report) {
    fmt::print(stderr, "dray-vectors: {}\n", report.error().message);
    return 2;
  }
  return Print(*report);
}
