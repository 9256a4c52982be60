// SPDX-License-Identifier: Apache-2.0
// Selects the upstream allocator to match: a released version, optionally one of its
// implementations, and the feature gates of the cluster.
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
  /// If not set, chosen by the feature gates as upstream's constructor does.
  std::optional<Implementation> implementation = {};

  bool operator==(const Profile&) const = default;
};

/// The labels that ParseProfile accepts, oldest first: "v0.31.8", "v0.36.6", "v0.36.6/stable", …
std::span<const std::string_view> ProfileNames();
/// Parses "v0.37.2/incubating". "/public" and no implementation mean the same: choose one. Errors:
/// kInvalid  not one of ProfileNames(); the message lists them.
Result<Profile> ParseProfile(std::string_view label);
/// The label of a profile.
std::string ToString(const Profile& profile);

/// The profile for a release: its own if there is one, else that of the nearest release with the
/// same allocator: v0.31.8 up to 1.32, v0.36.6 from 1.33 to 1.35.
Profile ProfileFor(api::Release release);
/// Whether ProfileFor(release) is that release's own.
bool HasOwnProfile(api::Release release);

/// Returns `features` with the release and implementation of the profile. Errors: kInternal  the
/// implementation, or every one of the release, does not support an enabled feature; the message
/// names the set and the implementations (upstream's text).
Result<Features> Complete(const Profile& profile, Features features);

/// The feature gates of a cluster of the profile's release: its defaults, changed by `gates` in the
/// form "DRAPartitionableDevices=true,DRAAdminAccess=false". Errors: kInvalid as
/// FeatureGates::Apply: an unknown gate, a bad value; as Complete.
Result<Features> FeaturesOf(const Profile& profile, std::string_view gates);

}  // namespace dray::allocator::inline v0
