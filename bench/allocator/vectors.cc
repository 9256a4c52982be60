// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/vectors.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "base/world.h"
#include "bench/allocator/measure.h"
#include "tests/judges/problem_json.h"
#include "tests/vectors/case_files.h"

namespace dray::bench {
namespace {

constexpr double kSeconds = 0.004;  // for each problem and side
constexpr size_t kWorstShown = 5;

/// Whether upstream does not end on the problem, so that there is no time to compare with.
bool HasNoTime(std::string_view line) {
  return line.contains(R"("outcome":"crash")") || line.contains(R"("outcome":"timeout")");
}

Result<std::vector<judges::Problem>> ReadProblems(const std::string& folder) {
  Disk& disk = RealWorld().disk;
  DRAY_TRY(const std::vector<std::string> files, vectors::VectorFilesIn(disk, folder, ".jsonl"));
  std::vector<judges::Problem> problems;
  for (const std::string& file : files) {
    if (file.contains("v0.31.8")) continue;
    DRAY_TRY(const std::string text, vectors::ReadVectors(disk, file));
    const std::string name = file.substr(file.rfind('/') + 1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (HasNoTime(line)) continue;
      if (auto problem = judges::DecodeProblem(std::string_view(line))) {
        problem->id = name.substr(0, name.find(".jsonl")) + "/" + problem->id;
        problems.push_back(*std::move(problem));
      }
    }
  }
  return problems;
}

struct Comparison {
  std::string id;
  double ratio = 0;  // above 1: faster here
};

/// "warm: never slower on 2800 problems, median 40x", or how often and where it was slower.
void PrintComparison(const char* what, std::vector<Comparison> all) {
  std::ranges::sort(all, {}, &Comparison::ratio);
  const auto slower = std::ranges::count_if(all, [](const auto& one) { return one.ratio < 1; });
  fmt::print("    {}: slower on {} of {} problems, median {:.3g}x, worst",
             what,
             slower,
             all.size(),
             all.empty() ? 0 : all[all.size() / 2].ratio);
  for (size_t i = 0; i < std::min(all.size(), kWorstShown); ++i)
    fmt::print("{} {:.2g}x {}", i == 0 ? "" : ",", all[i].ratio, all[i].id);
  fmt::print("\n");
}

}  // namespace

Result<> CompareOnVectors(const Peer& peer, const std::string& folder) {
  DRAY_TRY(const std::vector<judges::Problem> problems, ReadProblems(folder));
  DRAY_TRY(const auto theirs, peer.MeasureAll(problems, kSeconds));
  std::vector<Comparison> warm;
  std::vector<Comparison> cold;
  for (const judges::Problem& problem : problems) {
    const auto measured = theirs.find(problem.id);
    if (measured == theirs.end() || problem.nodes.empty()) continue;
    const PlacementProblem work{
        .problem = problem, .answer = measured->second.counts, .meaning = problem.id};
    const double call = measured->second.call_ns;
    warm.push_back({problem.id, call / MeasureWarm(work, NodeSharing::kOn, kSeconds).call_ns});
    cold.push_back({problem.id, call / MeasureCold(work, kSeconds).call_ns});
  }
  if (warm.size() < problems.size()) {
    fmt::print("    {} problems of {} were not measured: the peer stopped\n",
               problems.size() - warm.size(),
               problems.size());
  }
  PrintComparison("warm", std::move(warm));
  PrintComparison("cold", std::move(cold));
  return {};
}

}  // namespace dray::bench
