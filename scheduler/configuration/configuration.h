// SPDX-License-Identifier: Apache-2.0
// Reads kube-scheduler's configuration file, as far as this scheduler supports it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "base/result.h"
#include "dray/budget.h"
#include "scheduler/plugins/spread_defaults.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline configuration {

/// A scheduler that pods ask for by name, and the arguments of its plugins.
struct Profile {
  std::string name = "default-scheduler";
  /// Limits the search on one node; absent: only the allocator's own limit applies.
  std::optional<std::chrono::nanoseconds> filter_timeout = std::chrono::seconds(10);
  /// Limits the wait for devices to get ready (KEP-5007).
  std::chrono::nanoseconds binding_timeout = std::chrono::minutes(10);
  /// The default constraints of PodTopologySpread.
  SpreadDefaults spread = SystemSpreadDefaults();
};

/// Limits of default constraints and of profiles; upstream has none.
inline constexpr size_t kSpreadDefaultsMax = 16;
inline constexpr size_t kProfilesMax = 64;

struct Configuration {
  std::vector<Profile> profiles = {Profile{}};  // with distinct names
  SchedulingQueue::Options queue = {};
};

/// The profile that the pod names; null: the pod belongs to another scheduler.
const Profile* ProfileOf(const Configuration& configuration, const api::core_v1::Pod& pod);
/// The reporting component for events about the pod: its profile's name, or the first profile's.
const std::string& ReporterOf(const Configuration& configuration, const api::core_v1::Pod& pod);

/// Reads a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) in YAML or JSON.
///
/// Errors: kInvalid  another kind or version; a setting or plugin that is not here, by its name
///                   (fixed_settings.h); a value out of bounds; two profiles of one name.
///         kBadRequest  no YAML.
Result<Configuration> ReadConfiguration(std::string_view text);

/// The search budget for a timeout, counted in steps so that results do not depend on the machine:
/// about as many steps as fit in that time.
allocator::Budget BudgetOf(const Profile& profile);

}  // namespace dray::scheduler::inline configuration
