// SPDX-License-Identifier: Apache-2.0
// Whose answers the allocator gives: a released version of upstream's, perhaps a certain
// implementation of it, and the switches its cluster has on.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allocator/features.h"
#include "api/feature_gates.h"
#include "api/release.h"
#include "base/result.h"
#include "cel/environment.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// A released version of k8s.io/dynamic-resource-allocation.
struct Profile {
  api::Release release = api::Release::kNewest;  // k1_31: v0.31.8, k1_36: v0.36.6, or v0.37.2
  /// Unless set, picked from the switches as upstream's constructor does.
  std::optional<Implementation> implementation = {};

  bool operator==(const Profile&) const = default;
};

/// The labels ParseProfile knows, oldest first: "v0.31.8", "v0.36.6", "v0.36.6/stable", …
std::span<const std::string_view> ProfileNames();
/// "v0.37.2/incubating" → the profile. "/public" and no implementation mean the same: pick one.
/// Errors: kInvalid  not one of ProfileNames(); lists them.
Result<Profile> ParseProfile(std::string_view label);
/// The label of a profile.
std::string ToString(const Profile& profile);

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

/// `features` for the profile: its release and implementation filled in.
/// Errors: kInternal  the implementation, or every one of the release, lacks a switch that is on;
/// names the set and the implementations (upstream's text).
Result<Features> Complete(const Profile& profile, Features features);

/// The switches of a cluster that has these gates. v0.31.8 has no switches.
/// Errors: as Complete.
Result<Features> FeaturesOf(const Profile& profile, const api::FeatureGates& gates);

/// The switches of a cluster of the profile's release: its defaults, changed by `gates` in the form
/// "DRAPartitionableDevices=true,DRAAdminAccess=false".
/// Errors: kInvalid as FeatureGates::Apply: an unknown gate, a bad value; as Complete.
Result<Features> FeaturesOf(const Profile& profile, std::string_view gates);

/// What selectors may use in a cluster with these features.
cel::Environment EnvironmentOf(const Features& features);
/// The cache to give to an Allocator with these features.
std::shared_ptr<cel::SelectorCache> SelectorCacheFor(const Features& features, size_t entries_max);

}  // namespace dray::allocator
