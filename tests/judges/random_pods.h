// SPDX-License-Identifier: Apache-2.0
// Random pods, and everything that their placement depends on: devices (random_problem.h), rules
// about other pods, ports, CPU, priorities, groups, quotas, limits, volumes and gates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/object.h"
#include "dray/features.h"

namespace dray::judges {

/// The namespace of the pods and of the objects that they name.
inline constexpr const char* kPodsNamespace = "lab";

/// A scheduler that some pods name and that does not run.
inline constexpr const char* kAnotherScheduler = "another-scheduler";

struct PodsProblem {
  std::string id;
  allocator::Features features;
  /// All objects but the pods, with their status, in an order in which they can be created. Uids
  /// are made up.
  std::vector<api::Object> objects;
  /// In the order of their creation. Those of a group are adjacent.
  std::vector<api::Object> pods;
};

/// The same seed gives the same problem on every machine. It is valid, except for RandomProblem's
/// mistakes in a few percent of the problems.
PodsProblem RandomPods(uint64_t seed);

/// A List of the objects and then the pods, as JSON for servers.
std::string JsonOf(const PodsProblem& problem);

}  // namespace dray::judges
