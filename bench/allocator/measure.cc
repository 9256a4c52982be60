// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/measure.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "allocator/selector_cache.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "base/testing/instruction_counter.h"
#include "base/world.h"
#include "dray/profile.h"
#include "dray/selector.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;

void Count(const Result<allocator::Outcome>& outcome, OutcomeCounts& counts) {
  if (outcome && std::holds_alternative<allocator::Allocation>(*outcome)) {
    ++counts.allocated;
  } else if (outcome && std::holds_alternative<allocator::Unsatisfiable>(*outcome)) {
    ++counts.none;
  } else {
    ++counts.other;
  }
}

OutcomeCounts AskAllNodes(const Engine& engine, const judges::Problem& problem) {
  OutcomeCounts counts;
  for (const api::core_v1::Node& node : problem.nodes) Count(engine.Allocate(node), counts);
  return counts;
}

/// The first device of the first slice of the node, for pods that fit on no node.
v1::AllocationResult FirstDeviceOf(const judges::Problem& problem, const std::string& node) {
  v1::AllocationResult result;
  for (const auto& slice : problem.slices) {
    if (slice->spec.node_name != node || slice->spec.devices.empty()) continue;
    v1::DeviceRequestAllocationResult& device = result.devices.results.emplace_back();
    device.driver = slice->spec.driver;
    device.pool = slice->spec.pool.name;
    device.device = slice->spec.devices[0].name;
    break;
  }
  return result;
}

/// The claim that is allocated and released between pods, on another node each time.
class OtherClaim {
 public:
  OtherClaim(Engine& engine, const judges::Problem& problem) : engine_(engine), problem_(problem) {}

  /// Chooses the next allocation; not timed.
  void Prepare() {
    const api::core_v1::Node& node = problem_.nodes[next_node_++ % problem_.nodes.size()];
    engine_.BeginPod();
    Result<allocator::Outcome> outcome = engine_.Allocate(node);
    if (outcome && std::holds_alternative<allocator::Allocation>(*outcome)) {
      allocations_ = std::move(std::get<allocator::Allocation>(*outcome).results);
    } else {
      allocations_ = {FirstDeviceOf(problem_, node.metadata.name)};
    }
  }
  void Commit() {
    for (const v1::AllocationResult& allocation : allocations_) engine_.Commit(allocation);
  }
  void Release() {
    for (const v1::AllocationResult& allocation : allocations_) engine_.Release(allocation);
  }

 private:
  Engine& engine_;
  const judges::Problem& problem_;
  size_t next_node_ = 0;
  std::vector<v1::AllocationResult> allocations_;
};

/// Times of single calls; each includes some 20 ns of the clock itself.
Samples TimeCalls(Engine& engine, const judges::Problem& problem, double seconds) {
  Samples calls;
  OtherClaim other(engine, problem);
  const double end = Nanoseconds() + seconds * 1e9;
  do {
    other.Prepare();
    other.Commit();
    for (const bool release : {false, true}) {
      if (release) other.Release();
      engine.BeginPod();
      for (const api::core_v1::Node& node : problem.nodes) {
        const double start = Nanoseconds();
        const Result<allocator::Outcome> outcome = engine.Allocate(node);
        calls.Add(Nanoseconds() - start);
      }
    }
  } while (Nanoseconds() < end);
  return calls;
}

Times TimesOf(const Samples& pods, size_t nodes, OutcomeCounts counts, bool steady) {
  Times times{.pods = pods.size(), .counts = counts, .steady = steady};
  times.pod_ns = pods.median();
  times.call_ns = times.pod_ns / static_cast<double>(nodes);
  times.call_max_ns = pods.max() / static_cast<double>(nodes);
  return times;
}

}  // namespace

double Nanoseconds() {
  return static_cast<double>(RealWorld().clock.Monotonic().time_since_epoch().count());
}

std::string Duration(double ns) {
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return fmt::format("{:.3g} us", ns / 1e3);
  return ns < 999.5e6 ? fmt::format("{:.3g} ms", ns / 1e6) : fmt::format("{:.3g} s", ns / 1e9);
}

std::string MedianAndMax(const Samples& ns) {
  return fmt::format("{} (max {})", Duration(ns.median()), Duration(ns.max()));
}

OutcomeCounts CountOutcomes(const PlacementProblem& work) {
  Engine engine(work.problem);
  engine.BeginPod();
  return AskAllNodes(engine, work.problem);
}

Times MeasureWarm(const PlacementProblem& work, NodeSharing sharing, double seconds) {
  const judges::Problem& problem = work.problem;
  Engine engine(problem, sharing);
  engine.BeginPod();
  const OutcomeCounts counts = AskAllNodes(engine, problem);  // also the warm-up
  OtherClaim other(engine, problem);
  Samples pods, instructions;
  const testing::InstructionCounter counter(0);
  const auto timed = [&](const auto& pod) {
    const uint64_t before = counter.Read().value_or(0);
    const double start = Nanoseconds();
    pod();
    pods.Add(Nanoseconds() - start);
    instructions.Add(static_cast<double>(counter.Read().value_or(0) - before));
  };
  bool steady = true;
  const double end = Nanoseconds() + seconds * 1e9;
  do {
    other.Prepare();
    timed([&] {
      other.Commit();
      engine.BeginPod();
      AskAllNodes(engine, problem);
    });
    timed([&] {
      other.Release();
      engine.BeginPod();
      const OutcomeCounts again = AskAllNodes(engine, problem);
      steady = steady && again == counts;
    });
  } while (Nanoseconds() < end);
  Times times = TimesOf(pods, problem.nodes.size(), counts, steady);
  times.call_instructions = instructions.median() / static_cast<double>(problem.nodes.size());
  const Samples calls = TimeCalls(engine, problem, seconds / 4);
  times.call_p99_ns = calls.At(99);
  times.single_call_max_ns = calls.max();
  return times;
}

constexpr size_t kSelectorsKept = 1000;  // as the peer

Times MeasureCold(const PlacementProblem& work, double seconds) {
  const judges::Problem& problem = work.problem;
  Samples pods;
  OutcomeCounts counts;
  bool steady = true;
  const auto selectors = allocator::SelectorCacheFor(problem.features, kSelectorsKept);
  const double end = Nanoseconds() + seconds * 1e9;
  do {
    const double start = Nanoseconds();
    OutcomeCounts now;
    {
      Engine engine(problem, NodeSharing::kOn, selectors);
      engine.BeginPod();
      now = AskAllNodes(engine, problem);
    }
    pods.Add(Nanoseconds() - start);
    steady = steady && (pods.size() == 1 || now == counts);
    counts = now;
  } while (Nanoseconds() < end);
  return TimesOf(pods, problem.nodes.size(), counts, steady);
}

}  // namespace dray::bench
