// SPDX-License-Identifier: Apache-2.0
// The priority of new pods and pod groups, by the rules of upstream's admission plug-in Priority.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object.h"
#include "api/scheduling_v1.h"

namespace dray::api::pods {

/// The PriorityClass of a pod; the default is for pods without one.
struct PodPriority {
  std::string class_name = {};
  int32_t value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

/// A class that every cluster has.
struct SystemPriority {
  std::string_view name;
  int32_t value;
};
inline constexpr SystemPriority kSystemPriorities[] = {{"system-node-critical", 2000001000},
                                                       {"system-cluster-critical", 2000000000}};

PodPriority PriorityOfClass(const scheduling_v1::PriorityClass& priority_class);

/// The class that the pod or group of pods names; null for objects of other kinds.
const std::string* PriorityClassNamedBy(const Object& object);

/// Sets the class, priority and preemption policy of a new pod, or the class and priority of a new
/// group. Returns why the object is refused, in upstream's words: its values differ from those of
/// its class. Empty if it is not refused.
std::string GivePriority(const PodPriority& priority, Object& object);

}  // namespace dray::api::pods
