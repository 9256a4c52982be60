// SPDX-License-Identifier: Apache-2.0
// Feature gates of Kubernetes for fields and kinds of resource.k8s.io, and the one for deleting
// unreadable objects. The gates of each release are those of the feature files of 1.30 to 1.37.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/release.h"
#include "base/result.h"

namespace dray::api {

enum class Gate : uint8_t {
  kDynamicResourceAllocation,
  kControlPlaneController,
  kAdminAccess,
  kDeviceStatus,
  kPrioritizedList,
  kPartitionableDevices,
  kDeviceTaints,
  kDeviceTaintRules,
  kBindingConditions,
  kConsumableCapacity,
  kExtendedResource,
  kListTypeAttributes,
  kNodeAllocatableResources,
  kResourcePoolStatus,
  kGranularStatusAuthorization,
  kFractionalCapacityRange,
  kOptionalNodeOperations,
  kPartitionableDevicesType,
  kCompatibilityGroups,
  kDerivedAttributes,
  kWorkloadResourceClaims,
  kUnsafeDeletion,
  kGenericWorkload,
  kNodeDeclaredFeatures,
  kTopologyAwareWorkloadScheduling,
};
inline constexpr size_t kGateCount = 25;

struct GateInfo {
  Gate gate;
  std::string_view name;  // "DRAAdminAccess"
  Releases in;            // the releases that know it
  Releases on_by_default = Releases::None();
  Releases beta = Releases::None();    // elsewhere GA if on by default, else alpha
  Releases locked = Releases::None();  // where it cannot be switched off
  std::optional<Gate> needs = {};      // is off while that gate is off
  std::optional<Gate> needs_too = {};
};

/// All gates, in the order of Gate.
std::span<const GateInfo> Gates();
/// Null when there is none of that name.
const GateInfo* FindGate(std::string_view name);

/// Which gates are on. A value; cheap to copy.
class FeatureGates {
 public:
  /// All gates that `release` has are on: Dray's default.
  static FeatureGates AllOf(Release release);
  /// The gates of a cluster of `release` that starts without flags.
  static FeatureGates DefaultsOf(Release release);

  bool Has(Gate gate) const { return on_[static_cast<size_t>(gate)]; }
  void Switch(Gate gate, bool on) { on_[static_cast<size_t>(gate)] = on; }
  /// Switches off features that depend on one that is off.
  void DropDependents();

  /// Applies kube-apiserver's --feature-gates, "AllBeta=false,DRADeviceTaints=true", then
  /// DropDependents(). AllAlpha and AllBeta are for the gates of that stage that are not named.
  ///
  /// Errors: kInvalid  a name `release` does not know, a value that is no boolean, or a gate that
  ///                   is locked there; names it and what would be accepted.
  Result<> Apply(std::string_view flags, Release release);

  bool operator==(const FeatureGates&) const = default;

 private:
  std::bitset<kGateCount> on_;
};

/// The release and gates by whose rules an object is validated.
struct Profile {
  Release release = Release::kNewest;
  FeatureGates gates = FeatureGates::AllOf(Release::kNewest);

  bool Has(Gate gate) const { return gates.Has(gate); }
  /// Whether the release is `minor` (36 for 1.36) or newer.
  bool Since(int minor) const {
    return Releases{.first = static_cast<uint8_t>(minor)}.Rules(release);
  }

  static Profile Of(Release release) { return {release, FeatureGates::AllOf(release)}; }
};

/// "1.30" to "1.37": the releases whose rules Dray implements.
std::span<const Release> KnownReleases();
/// "1.37" → Release::kNewest; a leading v and a patch version are ignored.
/// Errors: kInvalid  not one of KnownReleases(); lists them.
Result<Release> ParseRelease(std::string_view text);
/// "1.37"
std::string ReleaseName(Release release);

}  // namespace dray::api
