// SPDX-License-Identifier: Apache-2.0
// Times of pods and calls.
#pragma once

#include <cstddef>
#include <string>

#include "bench/allocator/engine.h"
#include "bench/allocator/shapes.h"
#include "bench/samples.h"

namespace dray::bench {

/// The monotonic clock, in nanoseconds.
double Nanoseconds();

/// "480 ns", "12.3 us", "5.6 ms"
std::string Duration(double ns);
/// "114 us (max 1.2 ms)": median and maximum of nanoseconds.
std::string MedianAndMax(const Samples& ns);

struct Times {
  double pod_ns = 0;       // median over pods, everything included
  double call_ns = 0;      // the same for one node
  double call_max_ns = 0;  // the same of the slowest pod
  double call_p99_ns = 0;  // of single calls; 0: not timed
  double single_call_max_ns = 0;
  double call_instructions = 0;  // as call_ns; 0: not counted
  size_t pods = 0;
  OutcomeCounts counts;  // of a pod in the given state
  bool steady = true;    // all pods in that state got the same counts
};

/// Measures pods one after the other on a persistent inventory. Between two pods one claim is
/// allocated (the pod's result on a node, a different one each time) or released; that is part of a
/// pod's time. So every other pod finds the given state.
Times MeasureWarm(const PlacementProblem& work, NodeSharing sharing, double seconds);

/// The same, but everything is rebuilt from the decoded objects for each pod.
Times MeasureCold(const PlacementProblem& work, double seconds);

/// Counts the engine's outcomes for all nodes.
OutcomeCounts CountOutcomes(const PlacementProblem& work);

}  // namespace dray::bench
