// SPDX-License-Identifier: Apache-2.0
// One call of the allocator, here and in Kubernetes, on the same work in the same run.
//
//   allocator_bench [--only SHAPE,…] [--seconds N] [PEER]
//   allocator_bench --vectors FOLDER PEER    on thousands of small problems
//
// PEER is the allocator of Kubernetes (../shared/peers/allocator, written in Go). The benchmark
// compares its times and answers with ours and prints the ratios. Exit code 1: the answers differ.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "bench/allocator/big_cluster.h"
#include "bench/allocator/engine.h"
#include "bench/allocator/measure.h"
#include "bench/allocator/peer.h"
#include "bench/allocator/shapes.h"
#include "bench/allocator/vectors.h"
#include "tests/judges/problem_json.h"

namespace {

using namespace dray;         // NOLINT(google-build-using-namespace): this file is only glue
using namespace dray::bench;  // NOLINT(google-build-using-namespace)

struct Options {
  std::string peer;
  std::vector<std::string> only;
  std::string vectors;
  double seconds = 1;
};

/// How many times Dray is faster than the peer.
struct Ratios {
  double warm = 0;
  double cold = 0;
  double sharing_off = 0;
  double all_different = 0;
};

bool all_equal = true;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): exit code

void Differs(const std::string& what) {
  fmt::print("DIFFERENT: {}\n", what);
  all_equal = false;
}

std::string ToString(const OutcomeCounts& counts) {
  return fmt::format(
      "{} allocated, {} none, {} other", counts.allocated, counts.none, counts.other);
}

void Compare(const std::string& what, const OutcomeCounts& got, const OutcomeCounts& want) {
  if (got != want)
    Differs(fmt::format("{}: {} instead of {}", what, ToString(got), ToString(want)));
}

void Compare(const std::string& what, const Times& times, const OutcomeCounts& want) {
  Compare(what, times.counts, want);
  if (!times.steady) Differs(what + ": answers change from pod to pod");
}

std::optional<PeerTimes> Must(const Result<PeerTimes>& times) {
  if (times) return *times;
  Differs(times.error().message);
  return std::nullopt;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--only" && i + 1 < argc) {
      std::string_view names = argv[++i];
      while (!names.empty()) {
        const size_t comma = std::min(names.find(','), names.size());
        options.only.emplace_back(names.substr(0, comma));
        names.remove_prefix(std::min(comma + 1, names.size()));
      }
    } else if (word == "--seconds" && i + 1 < argc) {
      options.seconds = std::atof(argv[++i]);
    } else if (word == "--vectors" && i + 1 < argc) {
      options.vectors = argv[++i];
    } else {
      options.peer = word;
    }
  }
  return options;
}

/// "8.73 us (max 12 us)": a call of the median pod, and of the slowest pod.
std::string CallAndMax(const Times& times) {
  return fmt::format("{} (max {})", Duration(times.call_ns), Duration(times.call_max_ns));
}

/// Measures one shape in all ways and prints its line. Returns the ratios if there is a peer.
std::optional<Ratios> RunShape(const std::string& name, const Peer* peer, double seconds) {
  const PlacementProblem work = MakeShape(name);
  PlacementProblem different = work;
  different.problem = AllDifferent(work.problem);
  const Times warm = MeasureWarm(work, NodeSharing::kOn, seconds);
  const Times cold = MeasureCold(work, seconds);
  const Times unshared = MeasureWarm(work, NodeSharing::kOff, seconds / 2);
  const Times unlike = MeasureWarm(different, NodeSharing::kOn, seconds / 2);
  Compare(name + " warm", warm, work.answer);
  Compare(name + " cold", cold, work.answer);
  Compare(name + " without node sharing", unshared, work.answer);
  Compare(name + " all different", unlike, work.answer);
  const std::string ours = fmt::format(
      "warm {} (p99 {}, max {}, {:.0f} instructions), cold {}, sharing off {}, all different {}",
      Duration(warm.call_ns),
      Duration(warm.call_p99_ns),
      Duration(warm.single_call_max_ns),
      warm.call_instructions,
      CallAndMax(cold),
      CallAndMax(unshared),
      CallAndMax(unlike));
  if (peer == nullptr) {
    fmt::print("{} {}: {}\n", name, work.meaning, ours);
    return std::nullopt;
  }
  const Result<judges::Problem> theirs = peer->Shape(name);
  if (!theirs) {
    Differs(theirs.error().message);
  } else if (judges::EncodeProblem(*theirs) != judges::EncodeProblem(work.problem)) {
    Differs(name + " is not the peer's work of that name");
  }
  const auto same = Must(peer->Measure(name, 2 * seconds));
  const auto apart = Must(peer->Measure(different.problem, seconds));
  if (!same || !apart) return std::nullopt;
  if (!same->cut) Compare(name + " by the peer", same->counts, work.answer);
  if (!apart->cut) Compare(name + " all different, by the peer", apart->counts, work.answer);
  const Ratios ratios{.warm = same->call_ns / warm.call_ns,
                      .cold = same->call_ns / cold.call_ns,
                      .sharing_off = same->call_ns / unshared.call_ns,
                      .all_different = apart->call_ns / unlike.call_ns};
  fmt::print(
      "{} {:.3g}x warm, {:.2g}x cold; sharing off {:.3g}x, all different {:.3g}x\n"
      "    {}\n    dray {}\n    peer {} (p99 {}), all different {}\n",
      name,
      ratios.warm,
      ratios.cold,
      ratios.sharing_off,
      ratios.all_different,
      work.meaning,
      ours,
      Duration(same->call_ns),
      Duration(same->call_p99_ns),
      Duration(apart->call_ns));
  return ratios;
}

/// "median 140x, worst 25x (S2; bar 20)". Only the least favourable size of S6 counts, so that the
/// peer's exponential growth does not raise the median.
void PrintSummary(const char* what,
                  const std::map<std::string, Ratios>& all,
                  double Ratios::* ratio,
                  const char* bar) {
  std::map<std::string, std::pair<double, std::string>> worst;  // by family
  for (const auto& [name, ratios] : all) {
    const std::string family = name.substr(0, name.find('-'));
    const auto [entry, is_new] = worst.try_emplace(family, ratios.*ratio, name);
    if (!is_new && ratios.*ratio < entry->second.first) entry->second = {ratios.*ratio, name};
  }
  std::vector<std::pair<double, std::string>> sorted;
  sorted.reserve(worst.size());
  for (const auto& [family, entry] : worst) sorted.push_back(entry);
  std::ranges::sort(sorted);
  const size_t half = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[half].first
                                               : (sorted[half - 1].first + sorted[half].first) / 2;
  fmt::print("{:<14} median {:.3g}x, worst {:.3g}x ({}); {}\n",
             what,
             median,
             sorted[0].first,
             sorted[0].second,
             bar);
}

void RunInfeasible(double seconds) {
  constexpr int64_t kSteps = 20'000'000;  // a scheduler's limit for one search
  fmt::print("\nthe answer is no (bar: 1 ms)\n");
  for (const PlacementProblem& work : InfeasibleWork()) {
    Engine engine(work.problem);
    Samples pods;
    bool gave_up = false;
    const double end = Nanoseconds() + seconds * 1e9;
    do {
      const double start = Nanoseconds();
      engine.BeginPod();
      const auto outcome = engine.Allocate(work.problem.nodes[0], {.steps_max = kSteps});
      pods.Add(Nanoseconds() - start);
      gave_up = outcome && std::holds_alternative<allocator::Undecided>(*outcome);
      if (!outcome || std::holds_alternative<allocator::Allocation>(*outcome))
        Differs(work.meaning + ": not none");
    } while (Nanoseconds() < end);
    fmt::print("    {}: {}{}\n",
               work.meaning,
               MedianAndMax(pods),
               gave_up ? fmt::format(" and given up after {} steps", kSteps) : "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::unique_ptr<Peer> peer =
      options.peer.empty() ? nullptr : std::make_unique<Peer>(options.peer);
  if (!options.vectors.empty()) {
    if (peer == nullptr) {
      fmt::print(stderr, "allocator_bench: --vectors needs a PEER to compare with\n");
      return 2;
    }
    const Result<> compared = CompareOnVectors(*peer, options.vectors);
    if (!compared) Differs(compared.error().message);
    return all_equal ? 0 : 1;
  }
  std::map<std::string, Ratios> ratios;
  for (const std::string& name : ShapeNames()) {
    if (!options.only.empty() && std::ranges::find(options.only, name) == options.only.end())
      continue;
    if (const auto measured = RunShape(name, peer.get(), options.seconds)) ratios[name] = *measured;
  }
  if (!ratios.empty()) {
    fmt::print("\nover the shapes (of S6 the least favourable size)\n");
    PrintSummary("warm", ratios, &Ratios::warm, "bars 100 and 20");
    PrintSummary("cold", ratios, &Ratios::cold, "bar 3");
    PrintSummary("sharing off", ratios, &Ratios::sharing_off, "bar 10");
    PrintSummary("all different", ratios, &Ratios::all_different, "bar 10");
  }
  const auto wanted = [&](const char* name) {
    return options.only.empty() || std::ranges::find(options.only, name) != options.only.end();
  };
  if (wanted("no")) RunInfeasible(options.seconds);
  if (wanted("big")) {
    fmt::print("\na big cluster\n");
    MeasureBigCluster();
  }
  return all_equal ? 0 : 1;
}
