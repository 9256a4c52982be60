// SPDX-License-Identifier: Apache-2.0
// Random pods and all that decides where they go: devices (random_problem.h), rules about other
// pods, ports, processors, priorities, groups, quotas, limits, volumes and gates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/object.h"
#include "dray/features.h"

namespace dray::judges {

/// The namespace of the pods and of what they name.
inline constexpr const char* kPodsNamespace = "lab";

/// Whose some pods are: nobody runs it.
inline constexpr const char* kAnotherScheduler = "another-scheduler";

struct PodsProblem {
  std::string id;
  allocator::Features features;
  /// All but the pods, in an order in which they can be created; with the status that they have.
  /// Uids are made up.
  std::vector<api::Object> objects;
  /// As their users create them, one after the other. Those of a group follow each other.
  std::vector<api::Object> pods;
};

/// The same seed gives the same problem on every machine. Nothing in it is invalid, but for what
/// RandomProblem's mistakes are in a few of a hundred.
PodsProblem RandomPods(uint64_t seed);

/// A List of the objects and then the pods, in JSON, for servers to take.
std::string JsonOf(const PodsProblem& problem);

}  // namespace dray::judges
