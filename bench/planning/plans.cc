// SPDX-License-Identifier: Apache-2.0
// The time of `dray whatif`, `explain`, `capacity` and `lint` on a file of 5 000 nodes, 40 000
// devices and 20 000 allocated claims, from the start of the program to its end; the parts for
// reading, preparing and searching, measured in this process; and the cost of one explanation in a
// running scheduler.
//
//   plans_bench DRAY [FOLDER]     the files are left in FOLDER
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "base/world.h"
#include "bench/planning/cluster_file.h"
#include "bench/samples.h"
#include "bench/serve/server_process.h"
#include "dray/selector.h"
#include "manifests/objects.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/unfit_line.h"
#include "planning/objects/offline_objects.h"
#include "scheduler/reports/unfit_pod.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
using Clock = std::chrono::steady_clock;

constexpr int kRuns = 3;

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Cost {
  double wall_ms = 0, cpu_ms = 0;
  double resident_mib = 0;
};

Cost RunOnce(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(stdout);  // or the child would print it again
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(127);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) bench::Die("the program failed");
  const auto milliseconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return {.wall_ms = bench::Milliseconds(Clock::now() - begin),
          .cpu_ms = milliseconds(used.ru_utime) + milliseconds(used.ru_stime),
          .resident_mib = static_cast<double>(used.ru_maxrss) / 1024};
}

void Measure(std::string_view what, std::string_view bar, const std::vector<std::string>& command) {
  bench::Samples wall;
  Cost last;
  for (int run = 0; run < kRuns; ++run) {
    last = RunOnce(command);
    wall.Add(last.wall_ms);
  }
  fmt::print(
      "{:<28} {:7.0f} ms of {} runs the median, max {:5.0f}, {:5.0f} ms of CPU, {:4.0f} MiB  (bar: "
      "{})\n",
      what,
      wall.median(),
      kRuns,
      wall.max(),
      last.cpu_ms,
      last.resident_mib,
      bar);
}

/// Measures the parts of one question, in this process.
void MeasureParts(const std::string& cluster, const std::string& work) {
  World& world = RealWorld();
  const api::Scheme scheme;
  auto last = Clock::now();
  const auto tell = [&](std::string_view what) {
    fmt::print("  {:<26} {:7.1f} ms\n", what, bench::Milliseconds(Clock::now() - last));
    last = Clock::now();
  };
  const std::vector<std::string> paths = {cluster, work};
  auto read = manifests::ReadManifests(world.disk, scheme, paths);
  if (!read) bench::Die(read.error().message);
  tell("read");
  auto objects = planning::SortManifests(world, *std::move(read), "default");
  tell("sort, defaults");
  planning::OfflineCluster planned(
      world, std::move(objects), {.finds_failures = false, .nodes_take_turns = true});
  tell("snapshot");
  const auto answers = planned.AllocateAll();
  tell("search");
  for (const auto& answer : answers) {
    if (answer.verdict != planning::Verdict::kFits) (void)planned.Explain(answer.what);
  }
  tell("explanation");
}

/// Measures a running scheduler's explanation of a pod that fits nowhere, for the most nodes it
/// uses.
void MeasureLine(const std::string& cluster, const std::string& work) {
  World& world = RealWorld();
  const api::Scheme scheme;
  const std::vector<std::string> paths = {cluster, work};
  auto read = manifests::ReadManifests(world.disk, scheme, paths);
  if (!read) bench::Die(read.error().message);
  const auto objects = planning::SortManifests(world, *std::move(read), "default");
  api::resource_v1::ResourceClaim wanted;
  wanted.metadata = {.name = "trainer-gpus", .namespace_ = "research", .uid = "wanted"};
  wanted.spec =
      objects.templates.begin()->second.As<api::resource_v1::ResourceClaimTemplate>().spec.spec;
  api::core_v1::Pod pod = objects.pods.front().object.As<api::core_v1::Pod>();
  pod.spec.resource_claims = {{.name = "gpus", .resource_claim_name = wanted.metadata.name}};
  scheduler::UnfitPod unfit{.pod = api::Object::Of(std::move(pod)),
                            .claims = {api::Object::Of(std::move(wanted))},
                            .is_sample = true};
  std::set<std::string> nodes;
  for (const auto& [name, node] : objects.nodes) {
    if (nodes.size() == scheduler::kUnfitNodesMax) break;
    nodes.insert(name);
    unfit.nodes.push_back({.node = node,
                           .allocatable = scheduler::AllocatableOf(node.As<api::core_v1::Node>()),
                           .requested = {},
                           .pods = 0});
  }
  for (const auto& slice : objects.slices) {
    if (nodes.contains(slice->spec.pool.name)) unfit.slices.push_back(slice);
  }
  unfit.classes = objects.classes;
  for (const auto& [key, claim] : objects.claims) {
    const auto& status = claim.object.As<api::resource_v1::ResourceClaim>().status;
    if (status.allocation.has_value() &&
        nodes.contains(status.allocation->devices.results.front().pool))
      unfit.holders.push_back(claim.object);
  }
  unfit.selectors = allocator::SelectorCacheFor({}, 100);
  constexpr int kLines = 100;
  std::string line;
  bench::Samples milliseconds;
  for (int i = 0; i < kLines; ++i) {
    const auto begin = Clock::now();
    line = planning::LineAbout(world, unfit);
    milliseconds.Add(bench::Milliseconds(Clock::now() - begin));
  }
  fmt::print(
      "one line about a pod         {:7.2f} ms (max {:.2f}) for {} nodes and {} claims  (bar: 2 ms)"
      "\n  {}\n",
      milliseconds.median(),
      milliseconds.max(),
      nodes.size(),
      unfit.holders.size(),
      line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::Die("usage: plans_bench DRAY [FOLDER]");
  const std::string program = argv[1];
  std::optional<bench::ScratchFolder> scratch;
  if (argc == 2) scratch.emplace();
  const std::string folder = scratch.has_value() ? scratch->path() : argv[2];
  const std::string cluster = folder + "/cluster.json";
  const std::string fits = folder + "/fits.yaml";
  const std::string does_not = folder + "/does-not.yaml";
  const std::string text = bench::ClusterFile();
  Write(cluster, text);
  Write(fits, bench::WorkFile(bench::kPlannedDevices - bench::kPlannedTaken));
  Write(does_not, bench::WorkFile(bench::kPlannedDevices - bench::kPlannedTaken + 1));
  fmt::print("a file of {} nodes with {} devices each and {} allocated claims: {} MB of JSON\n",
             bench::kPlannedNodes,
             bench::kPlannedDevices,
             bench::kPlannedNodes * bench::kPlannedTaken,
             text.size() / 1'000'000);
  Measure("whatif, it fits", "1 s", {program, "whatif", "--cluster", cluster, "-f", fits});
  MeasureParts(cluster, fits);
  Measure("whatif, it does not", "1 s", {program, "whatif", "--cluster", cluster, "-f", does_not});
  MeasureParts(cluster, does_not);
  Measure("whatif --max", "2 s", {program, "whatif", "--cluster", cluster, "-f", fits, "--max"});
  Measure("explain", "1 s", {program, "explain", "-f", cluster, "-f", does_not});
  Measure("capacity", "1 s", {program, "capacity", "-f", cluster});
  Measure("capacity --by class", "1 s", {program, "capacity", "-f", cluster, "--by", "class"});
  Measure("capacity --by node", "1 s", {program, "capacity", "-f", cluster, "--by", "node"});
  Measure("lint of the work", "1 s", {program, "lint", "-f", does_not, "--cluster", cluster});
  Measure("lint of everything", "1 s", {program, "lint", "-f", cluster});
  MeasureLine(cluster, does_not);
  return 0;
}
