// SPDX-License-Identifier: Apache-2.0
#include "api/pods/priority.h"

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/scheduling_v1beta1.h"

namespace dray::api::pods {
namespace {

using scheduling_v1beta1::PodGroup;

std::string NotTheClass(std::string_view what, std::string_view sent, std::string_view computed) {
  return fmt::format(
      "the {} ({}) must not be provided in pod spec; priority admission controller computed {} "
      "from the given PriorityClass name",
      what,
      sent,
      computed);
}

std::string GiveGroup(const PodPriority& priority, PodGroup& group) {
  auto& spec = group.spec;
  if (spec.priority.value_or(priority.value) != priority.value) {
    return fmt::format(
        "priority set in the pod group ({}) must match the priority computed ({}) based on the "
        "priority class set in the spec",
        *spec.priority,
        priority.value);
  }
  spec.priority_class_name = priority.class_name;
  spec.priority = priority.value;
  return {};
}

}  // namespace

PodPriority PriorityOfClass(const scheduling_v1::PriorityClass& priority_class) {
  PodPriority priority{.class_name = priority_class.metadata.name, .value = priority_class.value};
  if (priority_class.preemption_policy.has_value())
    priority.preemption_policy = *priority_class.preemption_policy;
  return priority;
}

const std::string* PriorityClassNamedBy(const Object& object) {
  if (const auto* pod = object.If<core_v1::Pod>()) return &pod->spec.priority_class_name;
  const auto* group = object.If<PodGroup>();
  return group == nullptr ? nullptr : &group->spec.priority_class_name;
}

std::string GivePriority(const PodPriority& priority, Object& object) {
  if (object.If<PodGroup>() != nullptr) return GiveGroup(priority, object.Mutable<PodGroup>());
  auto& spec = object.Mutable<core_v1::Pod>().spec;
  if (spec.priority.value_or(priority.value) != priority.value) {
    return NotTheClass("integer value of priority",
                       std::to_string(*spec.priority),
                       std::to_string(priority.value));
  }
  if (spec.preemption_policy.value_or(priority.preemption_policy) != priority.preemption_policy) {
    return NotTheClass(
        "string value of PreemptionPolicy", *spec.preemption_policy, priority.preemption_policy);
  }
  spec.priority_class_name = priority.class_name;
  spec.priority = priority.value;
  spec.preemption_policy = priority.preemption_policy;
  return {};
}

}  // namespace dray::api::pods
