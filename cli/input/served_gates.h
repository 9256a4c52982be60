// SPDX-License-Identifier: Apache-2.0
// Which feature gates a running server has on, as its metrics say.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/feature_gates.h"
#include "api/release.h"

namespace dray::cli::inline input {

/// Whether a gate is on, by its name.
using ServedGates = std::map<std::string, bool, std::less<>>;

/// Reads kubernetes_feature_enabled from what /metrics answers, in Prometheus' text format. Lines
/// of other metrics, and those that cannot be read, are passed over. O(size of `metrics`).
ServedGates ServedGatesIn(std::string_view metrics);

/// The gates of such a server: gates that it does not name are as `release` has them by default.
api::FeatureGates GatesOf(const ServedGates& served, api::Release release);

}  // namespace dray::cli::inline input
