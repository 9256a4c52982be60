// SPDX-License-Identifier: Apache-2.0
// The feature gates of a running server, from its metrics.
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

/// Reads kubernetes_feature_enabled from a response of /metrics, in Prometheus' text format. Skips
/// other metrics and invalid lines. O(size of `metrics`).
ServedGates ServedGatesIn(std::string_view metrics);

/// The gates of such a server; gates missing in its metrics have `release`'s defaults.
api::FeatureGates GatesOf(const ServedGates& served, api::Release release);

}  // namespace dray::cli::inline input
