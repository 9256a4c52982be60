// SPDX-License-Identifier: Apache-2.0
// How important new pods and groups of pods are: what upstream's admission plug-in Priority
// decides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object.h"
#include "api/scheduling_v1.h"

namespace dray::api::pods {

/// What the PriorityClass of a pod says; the default is that of pods without any.
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

/// Gives the new pod its class, priority and preemption policy; or the new group its class and
/// priority. Returns why it is refused, in upstream's words: it brings others than those of its
/// class; empty when it is not.
std::string GivePriority(const PodPriority& priority, Object& object);

}  // namespace dray::api::pods
