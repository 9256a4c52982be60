// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/waiting.h"

#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/claim_sync.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/configuration/configuration.h"

namespace dray::planning::inline objects {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

std::vector<std::string> ExtendedResources(const core::Pod& pod) {
  std::vector<std::string> extended;
  for (const auto& [name, amount] : scheduler::RequestsOf(pod)) {
    const size_t slash = name.find('/');
    if (amount > 0 && slash != std::string::npos && name.substr(0, slash) != "kubernetes.io")
      extended.push_back(name);
  }
  return extended;
}

bool UsesDevices(const core::Pod& pod) {
  return !pod.spec.resource_claims.empty() || !ExtendedResources(pod).empty();
}

std::string WhyNotTried(const core::Pod& pod) {
  if (pod.spec.scheduling_gates.empty()) return {};
  std::vector<std::string> names;
  for (const auto& gate : pod.spec.scheduling_gates) names.push_back(gate.name);
  return fmt::format("Scheduling is blocked due to non-empty scheduling gates: {}",
                     fmt::join(names, ", "));
}

std::string NoteAbout(const core::Pod& pod) {
  const std::string& asked = pod.spec.scheduler_name;
  const std::string usual = scheduler::Profile{}.name;
  if (asked.empty() || asked == usual) return {};
  return fmt::format(
      "scheduler {} decides about the pod; this is what the rules of {} would say", asked, usual);
}

std::string StateOf(const core::Pod& pod) {
  if (controllers::IsDone(pod)) return fmt::format("is done: its phase is {}", pod.status.phase);
  if (!pod.spec.node_name.empty()) return "is on node " + pod.spec.node_name;
  if (pod.metadata.deletion_timestamp.has_value()) return "is being deleted";
  return {};
}

bool Waits(const v1::ResourceClaim& claim) {
  return !claim.metadata.deletion_timestamp.has_value() && !claim.status.allocation.has_value();
}

std::string StateOf(const v1::ResourceClaim& claim) {
  if (Waits(claim)) return {};
  if (claim.metadata.deletion_timestamp.has_value()) return "is being deleted";
  std::vector<std::string> devices;
  for (const auto& result : claim.status.allocation->devices.results)
    devices.push_back(fmt::format("{}/{}/{}", result.driver, result.pool, result.device));
  return fmt::format("has devices: {}", fmt::join(devices, ", "));
}

}  // namespace dray::planning::inline objects
