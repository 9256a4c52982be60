// SPDX-License-Identifier: Apache-2.0
// What kube-scheduler's configuration file says about the things that are here.
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
  /// For the search on one node; none: until it is done, or the allocator's own limit.
  std::optional<std::chrono::nanoseconds> filter_timeout = std::chrono::seconds(10);
  /// For devices to get ready (KEP-5007).
  std::chrono::nanoseconds binding_timeout = std::chrono::minutes(10);
  /// Of PodTopologySpread.
  SpreadDefaults spread = SystemSpreadDefaults();
};

/// At most so many default constraints, so many profiles; upstream has no limits.
inline constexpr size_t kSpreadDefaultsMax = 16;
inline constexpr size_t kProfilesMax = 64;

struct Configuration {
  std::vector<Profile> profiles = {Profile{}};  // of different names
  SchedulingQueue::Options queue = {};
};

/// The profile that the pod asks for by name; null: the pod belongs to another scheduler.
const Profile* ProfileOf(const Configuration& configuration, const api::core_v1::Pod& pod);
/// The name under which events about the pod are reported: its profile's, or that of the first.
const std::string& ReporterOf(const Configuration& configuration, const api::core_v1::Pod& pod);

/// Reads a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) in YAML or JSON.
///
/// Errors: kInvalid  another kind or version; a setting or plugin that is not here, by its name
///                   (fixed_settings.h); a value out of bounds; two profiles of one name.
///         kBadRequest  no YAML.
Result<Configuration> ReadConfiguration(std::string_view text);

/// What a timeout means for the search, which counts steps so that the answer does not depend on
/// the machine: about what one does in that time.
allocator::Budget BudgetOf(const Profile& profile);

}  // namespace dray::scheduler::inline configuration
