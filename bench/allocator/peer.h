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
  /// The time of one call: the smaller of two values. One is the median time of a pod (constructor
  /// and one call per node) divided by its nodes, which includes pauses of the garbage collector.
  /// The other is the median of single calls, which omits costs of a few nodes.
  double call_ns = 0;
  double call_p99_ns = 0;
  OutcomeCounts counts;  // of a pod
  bool cut = false;      // a pod took longer than the peer's limit
};

class Peer {
 public:
  /// `program` is the path of the peer.
  explicit Peer(std::string program) : program_(std::move(program)) {}

  /// The peer's own problem of that name. Errors: kInternalError  the program cannot be run, or
  /// prints no valid problem.
  Result<judges::Problem> Shape(std::string_view name) const;

  /// Measures one of its shapes, with its implementation "incubating", the one that clusters use.
  Result<PeerTimes> Measure(std::string_view shape, double seconds) const;
  /// Measures a problem that is passed to it.
  Result<PeerTimes> Measure(const judges::Problem& problem, double seconds) const;
  /// Measures many problems, by id, each with the implementation that its features need. If the
  /// peer stops, the remaining ones are missing.
  Result<std::map<std::string, PeerTimes>> MeasureAll(std::span<const judges::Problem> problems,
                                                      double seconds) const;

 private:
  Result<std::string> Run(const std::string& arguments) const;
  Result<PeerTimes> MeasureWith(const std::string& arguments, double seconds) const;

  std::string program_;
};

}  // namespace dray::bench
