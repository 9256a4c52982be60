// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/container_states.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace dray::api::validation::inline workloads {
namespace {

using core_v1::Container;
using core_v1::ContainerRestartRule;
using core_v1::ContainerStatus;

bool RestartsUnder(std::string_view policy, int32_t exit_code) {
  if (policy == "OnFailure") return exit_code != 0;
  return policy != "Never";
}

bool Matches(const ContainerRestartRule& rule, int32_t exit_code) {
  if (!rule.exit_codes.has_value()) return false;
  const auto& values = rule.exit_codes->values;
  const bool is_listed = std::ranges::find(values, exit_code) != values.end();
  return is_listed == (rule.exit_codes->operator_ == "In");
}

// The first of its rules that matches decides, then the policy of the container, then the pod's.
bool Restarts(const Container& container, const core_v1::PodSpec& spec, int32_t exit_code) {
  if (container.restart_policy.has_value()) {
    const auto& rules = container.restart_policy_rules;
    if (std::ranges::any_of(rules, [&](const auto& rule) { return Matches(rule, exit_code); })) {
      return true;
    }
    return RestartsUnder(*container.restart_policy, exit_code);
  }
  return RestartsUnder(spec.restart_policy, exit_code);
}

bool MayRestartAll(std::span<const Container> containers) {
  return std::ranges::any_of(containers, [](const Container& container) {
    return std::ranges::any_of(container.restart_policy_rules, [](const auto& rule) {
      return rule.action == "RestartAllContainers";
    });
  });
}

template <class MayRestart>
void CheckStates(std::span<const ContainerStatus> now,
                 std::span<const ContainerStatus> before,
                 const Path& path,
                 FieldErrors& errors,
                 MayRestart may_restart) {
  std::map<std::string_view, const ContainerStatus*> by_name;
  for (const ContainerStatus& status : now) by_name.try_emplace(status.name, &status);
  for (size_t i = 0; i < before.size() && !errors.is_full(); ++i) {
    const auto& ended = before[i].state.terminated;
    if (!ended.has_value()) continue;
    const auto found = by_name.find(before[i].name);
    if (found == by_name.end() || found->second->state.terminated.has_value()) continue;
    if (may_restart(before[i].name, ended->exit_code)) continue;
    const Path at = path.Index(i);
    errors.Forbidden(at.Child("state"), "may not be transitioned to non-terminated state");
  }
}

}  // namespace

void CheckContainerStates(const core_v1::Pod& pod,
                          const core_v1::Pod& old,
                          const Path& path,
                          FieldErrors& errors) {
  const core_v1::PodSpec& spec = old.spec;
  const bool may_restart_all =
      errors.Since(36) && (MayRestartAll(spec.containers) || MayRestartAll(spec.init_containers));
  const auto restarts_of = [&](std::span<const Container> containers) {
    return [&, containers](std::string_view name, int32_t exit_code) {
      if (may_restart_all) return true;
      const auto found = std::ranges::find(containers, name, &Container::name);
      if (found != containers.end()) return Restarts(*found, spec, exit_code);
      // Up to 1.34 nothing but the pod was asked.
      return !errors.Since(35) && RestartsUnder(spec.restart_policy, exit_code);
    };
  };
  CheckStates(pod.status.container_statuses,
              old.status.container_statuses,
              path.Child("containerStatuses"),
              errors,
              restarts_of(spec.containers));
  CheckStates(pod.status.init_container_statuses,
              old.status.init_container_statuses,
              path.Child("initContainerStatuses"),
              errors,
              restarts_of(spec.init_containers));
  CheckStates(pod.status.ephemeral_container_statuses,
              old.status.ephemeral_container_statuses,
              path.Child("ephemeralContainerStatuses"),
              errors,
              [](std::string_view /*name*/, int32_t /*exit_code*/) { return false; });
}

}  // namespace dray::api::validation::inline workloads
