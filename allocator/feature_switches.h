// SPDX-License-Identifier: Apache-2.0
// Upstream's feature switches as a table: their names, and the feature gates behind them.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "api/feature_gates.h"
#include "api/release.h"
#include "base/result.h"
#include "dray/features.h"
#include "dray/profile.h"

namespace dray::allocator {

/// One of upstream's feature switches.
struct FeatureSwitch {
  std::string_view name;  // "ConsumableCapacity"
  bool Features::* on;
  std::array<api::Gate, 2> gates;  // on while both are; often the same one twice
  Implementation first;            // the least experimental implementation that knows it
  bool is_new = false;             // v0.37.2 has it, older ones do not
};

/// All switches, in upstream's order (by name).
std::span<const FeatureSwitch> FeatureSwitches();

/// Whether the release has the switch.
bool Exists(const FeatureSwitch& feature, api::Release release);

/// The switches of a cluster that has these gates. v0.31.8 has no switches.
/// Errors: as Complete.
Result<Features> FeaturesOf(const Profile& profile, const api::FeatureGates& gates);

}  // namespace dray::allocator
