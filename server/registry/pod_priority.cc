// SPDX-License-Identifier: Apache-2.0
#include "server/registry/pod_priority.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/scheduling_v1beta1.h"
#include "server/errors/errors.h"

namespace dray::server::registry {
namespace {

Result<> Refuse(const api::Object& pod,
                std::string_view what,
                std::string_view sent,
                std::string_view computed) {
  return Fail(errors::Forbidden(
      pod.kind(),
      pod.metadata().name,
      fmt::format("the {} ({}) must not be provided in pod spec; priority admission controller "
                  "computed {} from the given PriorityClass name",
                  what,
                  sent,
                  computed)));
}

Result<> AdmitGroup(const PodPriority& priority, api::Object& group) {
  auto& spec = group.Mutable<api::scheduling_v1beta1::PodGroup>().spec;
  if (spec.priority.value_or(priority.value) != priority.value) {
    return Fail(errors::Forbidden(
        group.kind(),
        group.metadata().name,
        fmt::format("priority set in the pod group ({}) must match the priority computed ({}) "
                    "based on the priority class set in the spec",
                    *spec.priority,
                    priority.value)));
  }
  spec.priority_class_name = priority.class_name;
  spec.priority = priority.value;
  return {};
}

}  // namespace

Result<> AdmitPriority(const PodPriority& priority, api::Object& pod) {
  if (pod.If<api::scheduling_v1beta1::PodGroup>() != nullptr) return AdmitGroup(priority, pod);
  auto& spec = pod.Mutable<api::core_v1::Pod>().spec;
  if (spec.priority.value_or(priority.value) != priority.value) {
    return Refuse(pod,
                  "integer value of priority",
                  std::to_string(*spec.priority),
                  std::to_string(priority.value));
  }
  if (spec.preemption_policy.value_or(priority.preemption_policy) != priority.preemption_policy) {
    return Refuse(pod,
                  "string value of PreemptionPolicy",
                  *spec.preemption_policy,
                  priority.preemption_policy);
  }
  spec.priority_class_name = priority.class_name;
  spec.priority = priority.value;
  spec.preemption_policy = priority.preemption_policy;
  return {};
}

}  // namespace dray::server::registry
