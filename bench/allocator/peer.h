// SPDX-License-Identifier: Apache-2.0
// Kubernetes' own allocator, measured by a program written in Go (../shared/peers/allocator).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "bench/allocator/shapes.h"
#include "tests/judges/problem.h"

namespace dray::bench {

struct PeerTimes {
  std::string module;  // "v0.37.2"
  /// One call: the smaller of a pod's median time (constructor and one call per node) over its
  /// nodes, which has the collector's pauses in it, and the median of single calls, which leaves
  /// out what only some nodes cost.
  double call_ns = 0;
  double call_p99_ns = 0;
  OutcomeCounts counts;  // of a pod
  bool cut = false;      // a pod took longer than the peer allows
};

class Peer {
 public:
  /// `program` is run as it is.
  explicit Peer(std::string program) : program_(std::move(program)) {}

  /// The peer's own work of that name, as a problem.
  /// Errors: kInternalError  the program cannot be run, or prints what is no problem.
  Result<judges::Problem> Shape(std::string_view name) const;

  /// Times of one of its shapes, by its implementation "incubating", the one clusters get.
  Result<PeerTimes> Measure(std::string_view shape, double seconds) const;
  /// Times of work it gets from here.
  Result<PeerTimes> Measure(const judges::Problem& problem, double seconds) const;
  /// Times of many problems, by id, each by the implementation that its features ask for. Where the
  /// peer stops, what comes after is missing.
  Result<std::map<std::string, PeerTimes>> MeasureAll(std::span<const judges::Problem> problems,
                                                      double seconds) const;

 private:
  Result<std::string> Run(const std::string& arguments) const;
  Result<PeerTimes> MeasureWith(const std::string& arguments, double seconds) const;

  std::string program_;
};

}  // namespace dray::bench
