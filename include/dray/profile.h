// SPDX-License-Identifier: Apache-2.0
// Whose answers the allocator gives: a released version of upstream's, perhaps a certain
// implementation of it, and the switches its cluster has on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/release.h"
#include "base/result.h"
#include "dray/features.h"

namespace dray::allocator::inline v0 {

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

/// The profile that answers for a release: its own where there is one, else that of the nearest
/// release whose allocator is alike: v0.31.8 up to 1.32, v0.36.6 from 1.33 to 1.35.
Profile ProfileFor(api::Release release);
/// Whether ProfileFor(release) is that release's own.
bool HasOwnProfile(api::Release release);

/// `features` for the profile: its release and implementation filled in.
/// Errors: kInternal  the implementation, or every one of the release, lacks a switch that is on;
/// names the set and the implementations (upstream's text).
Result<Features> Complete(const Profile& profile, Features features);

/// The switches of a cluster of the profile's release: its defaults, changed by `gates` in the form
/// "DRAPartitionableDevices=true,DRAAdminAccess=false".
/// Errors: kInvalid as FeatureGates::Apply: an unknown gate, a bad value; as Complete.
Result<Features> FeaturesOf(const Profile& profile, std::string_view gates);

}  // namespace dray::allocator::inline v0
