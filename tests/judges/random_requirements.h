// SPDX-License-Identifier: Apache-2.0
// Random requirements of pods besides devices, and what nodes offer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "tests/judges/chance.h"

namespace dray::judges {

/// The kinds of requirements in a cluster; each occurs in some clusters.
struct RequirementTraits {
  bool priorities = false;
  bool quotas = false;
  bool limits = false;
  bool groups = false;
  bool templates = false;         // claims are generated for pods
  bool extended = false;          // classes and nodes serve extended resources
  bool node_allocatable = false;  // devices take resources of their nodes
  bool volumes = false;
};

/// Draws from one random sequence, so results depend on the order of calls.
class RandomRequirements {
 public:
  explicit RandomRequirements(uint64_t seed);

  const RequirementTraits& traits() const { return traits_; }
  Chance& chance() { return chance_; }

  api::core_v1::Node On(api::core_v1::Node node);
  api::resource_v1::DeviceClass On(api::resource_v1::DeviceClass device_class);
  api::resource_v1::ResourceSlice On(api::resource_v1::ResourceSlice slice);
  /// Adds the pod's requirements on other pods, on nodes and on volumes.
  void On(api::core_v1::Pod& pod);
  /// The priority class of a pod, or of a group and its pods; empty: none.
  std::string PriorityClassName();
  std::string PriorityClassNameOfGroup();

  /// Namespaces, priority classes, quotas, ranges and volume claims, according to the traits.
  std::vector<api::Object> Surroundings(bool admin_access);

 private:
  size_t Below(size_t bound) { return chance_.Below(bound); }
  std::string App() { return Below(2) == 0 ? "web" : "db"; }
  std::string Key();
  void AddRulesAboutPods(api::core_v1::Pod& pod);
  void AddContainer(api::core_v1::Pod& pod);
  api::core_v1::PodAffinityTerm Term();
  api::core_v1::TopologySpreadConstraint Spread();
  api::Object Quota();
  api::Object Range();
  void AddVolumes(std::vector<api::Object>& objects);

  Chance chance_;
  RequirementTraits traits_;
};

}  // namespace dray::judges
