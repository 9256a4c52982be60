// SPDX-License-Identifier: Apache-2.0
#include "dray/profile.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/feature_switches.h"
#include "base/check.h"
#include "base/try.h"

namespace dray::allocator::inline v0 {
namespace {

using api::Release;

constexpr std::array<std::pair<Release, std::string_view>, 3> kVersions = {
    {{Release::k1_31, "v0.31.8"}, {Release::k1_36, "v0.36.6"}, {Release::kNewest, "v0.37.2"}}};

constexpr std::array<std::pair<Implementation, std::string_view>, 3> kImplementations = {
    {{Implementation::kStable, "stable"},
     {Implementation::kIncubating, "incubating"},
     {Implementation::kExperimental, "experimental"}}};

constexpr std::array<std::string_view, 11> kProfileNames = {"v0.31.8",
                                                            "v0.36.6",
                                                            "v0.36.6/stable",
                                                            "v0.36.6/incubating",
                                                            "v0.36.6/experimental",
                                                            "v0.36.6/public",
                                                            "v0.37.2",
                                                            "v0.37.2/stable",
                                                            "v0.37.2/incubating",
                                                            "v0.37.2/experimental",
                                                            "v0.37.2/public"};

/// Without a switch, adminAccess could always be asked for in 1.31.
constexpr Features kFeatures31 = {.admin_access = true,
                                  .prioritized_list = false,
                                  .device_taints = false,
                                  .device_binding_and_status = false,
                                  .partitionable_devices = false,
                                  .consumable_capacity = false,
                                  .fractional_capacity_range = false,
                                  .release = Release::k1_31};

bool Supports(Implementation implementation, const Features& features) {
  return std::ranges::all_of(FeatureSwitches(), [&](const FeatureSwitch& feature) {
    return !(features.*feature.on) ||
           (feature.first <= implementation && Exists(feature, features.release));
  });
}

Failure Unsupported(const Profile& profile, const Features& features) {
  std::vector<std::string> set;
  for (const FeatureSwitch& feature : FeatureSwitches()) {
    if (Exists(feature, features.release) || features.*feature.on)
      set.push_back(fmt::format("{}:{}", feature.name, features.*feature.on));
  }
  std::vector<std::string_view> enabled;
  for (const auto& [implementation, name] : kImplementations) {
    if (profile.implementation.value_or(implementation) == implementation) enabled.push_back(name);
  }
  return Fail(StatusReason::kInternalError,
              fmt::format("internal error: no allocator available for feature set {{{}}}, enabled "
                          "allocators: {}",
                          fmt::join(set, " "),
                          fmt::join(enabled, ", ")));
}

}  // namespace

std::span<const std::string_view> ProfileNames() {
  return kProfileNames;
}

Result<Profile> ParseProfile(std::string_view label) {
  if (std::ranges::find(kProfileNames, label) == kProfileNames.end()) {
    return Fail(
        StatusReason::kInvalid,
        fmt::format(
            "unknown profile {:?}: expected one of {}", label, fmt::join(kProfileNames, ", ")));
  }
  Profile profile;
  for (const auto& [release, version] : kVersions) {
    if (label.starts_with(version)) profile.release = release;
  }
  for (const auto& [implementation, name] : kImplementations) {
    if (label.ends_with(name)) profile.implementation = implementation;
  }
  return profile;
}

Profile ProfileFor(api::Release release) {
  if (release == Release::kAny || release == Release::kNewest) return {};
  return {.release = release <= Release::k1_32 ? Release::k1_31 : Release::k1_36};
}

bool HasOwnProfile(api::Release release) {
  return release == Release::kAny || ProfileFor(release).release == release;
}

std::string ToString(const Profile& profile) {
  std::string label;
  for (const auto& [release, version] : kVersions) {
    if (release == profile.release) label = version;
  }
  DRAY_CHECK(!label.empty());
  for (const auto& [implementation, name] : kImplementations) {
    if (implementation == profile.implementation) label.append("/").append(name);
  }
  return label;
}

Result<Features> Complete(const Profile& profile, Features features) {
  if (profile.release == Release::k1_31) return kFeatures31;
  features.release = profile.release;
  features.implementation = profile.implementation;
  if (!Supports(features.Picked(), features)) return Unsupported(profile, features);
  features.implementation = features.Picked();
  return features;
}

Result<Features> FeaturesOf(const Profile& profile, std::string_view gates) {
  api::FeatureGates on = api::FeatureGates::DefaultsOf(profile.release);
  DRAY_TRY_VOID(on.Apply(gates, profile.release));
  return FeaturesOf(profile, on);
}

}  // namespace dray::allocator::inline v0
