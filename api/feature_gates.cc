// SPDX-License-Identifier: Apache-2.0
#include "api/feature_gates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/other_gates.h"
#include "base/text/spelling.h"
#include "base/try.h"

namespace dray::api {
namespace {

constexpr Releases From(uint8_t first) {
  return {.first = first, .last = 255};
}

constexpr Releases Only(uint8_t release) {
  return {.first = release, .last = release};
}

// Known from; on by default from; beta in; locked from.
constexpr std::array<GateInfo, kGateCount> kGates = {{
    {Gate::kDynamicResourceAllocation,
     "DynamicResourceAllocation",
     From(26),
     From(34),
     {32, 33},
     From(35)},
    {Gate::kControlPlaneController, "DRAControlPlaneController", Only(31)},
    {Gate::kAdminAccess, "DRAAdminAccess", From(32), From(34), {34, 35}, From(36)},
    {Gate::kDeviceStatus, "DRAResourceClaimDeviceStatus", From(32), From(33), {33, 36}, From(37)},
    {Gate::kPrioritizedList, "DRAPrioritizedList", From(33), From(34), {34, 35}, From(37)},
    {Gate::kPartitionableDevices, "DRAPartitionableDevices", From(33), From(36), From(36)},
    {Gate::kDeviceTaints, "DRADeviceTaints", From(33), From(36), Only(36)},
    {.gate = Gate::kDeviceTaintRules,
     .name = "DRADeviceTaintRules",
     .in = From(35),
     .on_by_default = From(37),
     .beta = Only(36),
     .needs = Gate::kDeviceTaints},
    {.gate = Gate::kBindingConditions,
     .name = "DRADeviceBindingConditions",
     .in = From(34),
     .on_by_default = From(36),
     .beta = From(36),
     .needs = Gate::kDeviceStatus},
    {Gate::kConsumableCapacity, "DRAConsumableCapacity", From(34), From(36), From(36)},
    {Gate::kExtendedResource, "DRAExtendedResource", From(34), From(36), Only(36), From(37)},
    {Gate::kListTypeAttributes, "DRAListTypeAttributes", From(36)},
    {Gate::kNodeAllocatableResources, "DRANodeAllocatableResources", From(36)},
    {Gate::kResourcePoolStatus, "DRAResourcePoolStatus", From(36)},
    {.gate = Gate::kGranularStatusAuthorization,
     .name = "DRAResourceClaimGranularStatusAuthorization",
     .in = From(36),
     .on_by_default = From(36),
     .beta = From(36),
     .needs = Gate::kDeviceStatus},
    {.gate = Gate::kFractionalCapacityRange,
     .name = "DRAFractionalCapacityRange",
     .in = From(37),
     .on_by_default = From(37),
     .beta = From(37),
     .needs = Gate::kConsumableCapacity},
    {Gate::kOptionalNodeOperations, "DRAOptionalNodeOperations", From(37)},
    {.gate = Gate::kPartitionableDevicesType,
     .name = "DRAPartitionableDevicesType",
     .in = From(37),
     .needs = Gate::kPartitionableDevices,
     .needs_too = Gate::kResourcePoolStatus},
    {.gate = Gate::kCompatibilityGroups,
     .name = "DRADeviceCompatibilityGroups",
     .in = From(37),
     .needs = Gate::kPartitionableDevices},
    {Gate::kDerivedAttributes, "DRADerivedAttributes", From(37)},
    {.gate = Gate::kWorkloadResourceClaims,
     .name = "DRAWorkloadResourceClaims",
     .in = From(36),
     .beta = From(37)},
    {Gate::kUnsafeDeletion, "AllowUnsafeMalformedObjectDeletion", From(32), From(37), From(37)},
    {.gate = Gate::kGenericWorkload, .name = "GenericWorkload", .in = From(35), .beta = From(37)},
    {Gate::kNodeDeclaredFeatures, "NodeDeclaredFeatures", From(35), From(36), Only(36), From(37)},
    {.gate = Gate::kTopologyAwareWorkloadScheduling,
     .name = "TopologyAwareWorkloadScheduling",
     .in = From(36),
     .needs = Gate::kGenericWorkload},
}};

constexpr std::array kReleases = {Release::kFirst,
                                  static_cast<Release>(27),
                                  static_cast<Release>(28),
                                  static_cast<Release>(29),
                                  Release::k1_30,
                                  Release::k1_31,
                                  Release::k1_32,
                                  Release::k1_33,
                                  Release::k1_34,
                                  Release::k1_35,
                                  Release::k1_36,
                                  Release::kNewest};

std::vector<std::string> NamesOf(Release release) {
  std::vector<std::string> names = {"AllAlpha", "AllBeta"};
  for (const GateInfo& gate : kGates) {
    if (gate.in.Has(release)) names.emplace_back(gate.name);
  }
  return names;
}

std::optional<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

/// One "NAME=BOOLEAN" of --feature-gates.
struct Setting {
  std::string_view name;
  bool on;
};

Result<Setting> ParseSetting(std::string_view flag) {
  const size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  const std::optional<bool> on =
      equals == std::string_view::npos ? std::nullopt : ParseBool(flag.substr(equals + 1));
  if (on.has_value()) return Setting{.name = name, .on = *on};
  return Fail(StatusReason::kInvalid,
              fmt::format("invalid value of {0}: expected {0}=true or {0}=false", name));
}

bool IsBeta(const GateInfo& gate, Release release) {
  return gate.beta.Rules(release);
}
bool IsAlpha(const GateInfo& gate, Release release) {
  return !IsBeta(gate, release) && !gate.on_by_default.Rules(release);
}

// AllAlpha and AllBeta; false for other names.
bool ApplyStage(const Setting& setting, Release release, FeatureGates& gates) {
  if (setting.name != "AllAlpha" && setting.name != "AllBeta") return false;
  const auto& is_of_stage = setting.name == "AllAlpha" ? IsAlpha : IsBeta;
  for (const GateInfo& gate : kGates) {
    if (gate.in.Has(release) && is_of_stage(gate, release)) gates.Switch(gate.gate, setting.on);
  }
  return true;
}

Failure Locked(const Setting& setting, Release release) {
  return Fail(StatusReason::kInvalid,
              fmt::format("cannot set feature gate {} to {}, feature is locked to {} in {}",
                          setting.name,
                          setting.on,
                          !setting.on,
                          ReleaseName(release)));
}

Result<> CheckLock(const OtherGate& gate, const Setting& setting, Release release) {
  const bool is_locked = Releases{.first = gate.locked_since}.Rules(release);
  if (is_locked && setting.on != gate.locked_to) return Locked(setting, release);
  return {};
}

Result<> ApplyOne(const Setting& setting, Release release, FeatureGates& gates) {
  const GateInfo* const gate = FindGate(setting.name);
  const OtherGate* const other = FindOtherGate(setting.name, release);
  if (other != nullptr) return CheckLock(*other, setting, release);
  if (gate == nullptr || !gate->in.Has(release)) {
    const std::vector<std::string> names = NamesOf(release);
    // A gate of another release is not misspelt.
    const std::string meant = gate == nullptr ? MeantName(setting.name, names) : "";
    return Fail(StatusReason::kInvalid,
                fmt::format("unrecognized feature gate: {}; {} has {}{}",
                            setting.name,
                            ReleaseName(release),
                            fmt::join(names, ", "),
                            meant));
  }
  if (!setting.on && gate->locked.Rules(release)) return Locked(setting, release);
  gates.Switch(gate->gate, setting.on);
  return {};
}

}  // namespace

std::span<const GateInfo> Gates() {
  return kGates;
}

const GateInfo* FindGate(std::string_view name) {
  const auto* const found = std::ranges::find(kGates, name, &GateInfo::name);
  return found == kGates.end() ? nullptr : found;
}

FeatureGates FeatureGates::AllOf(Release release) {
  FeatureGates gates;
  for (const GateInfo& gate : kGates) gates.Switch(gate.gate, gate.in.Has(release));
  return gates;
}

FeatureGates FeatureGates::DefaultsOf(Release release) {
  FeatureGates gates;
  for (const GateInfo& gate : kGates) gates.Switch(gate.gate, gate.on_by_default.Rules(release));
  gates.DropDependents();
  return gates;
}

void FeatureGates::DropDependents() {
  // A gate stands after those it needs, so one pass is enough.
  for (const GateInfo& gate : kGates) {
    const bool stays = (!gate.needs.has_value() || Has(*gate.needs)) &&
                       (!gate.needs_too.has_value() || Has(*gate.needs_too));
    if (!stays) Switch(gate.gate, false);
  }
}

Result<> FeatureGates::Apply(std::string_view flags, Release release) {
  FeatureGates next = *this;
  std::vector<Setting> settings;  // of single gates, which take precedence over those of a stage
  for (const std::string_view flag : SettingsIn(flags)) {
    DRAY_TRY(const Setting setting, ParseSetting(flag));
    if (!ApplyStage(setting, release, next)) settings.push_back(setting);
  }
  for (const Setting& setting : settings) DRAY_TRY_VOID(ApplyOne(setting, release, next));
  next.DropDependents();
  *this = next;
  return {};
}

std::span<const Release> KnownReleases() {
  return kReleases;
}

std::string ReleaseName(Release release) {
  return fmt::format("1.{}", MinorOf(release == Release::kAny ? Release::kNewest : release));
}

namespace {

/// "; did you mean 1.37?" for a release that is older or newer than all of them; empty for other
/// texts.
std::string NearestOf(std::string_view name, std::span<const std::string> known) {
  constexpr std::string_view kMajor = "1.";
  int minor = 0;
  const std::string_view digits = name.substr(std::min(name.size(), kMajor.size()));
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  const bool is_release = name.starts_with(kMajor) && !digits.empty() && read.ec == std::errc() &&
                          read.ptr == digits.data() + digits.size();
  if (!is_release) return {};
  return fmt::format("; did you mean {}?",
                     minor < MinorOf(kReleases.front()) ? known.front() : known.back());
}

}  // namespace

Result<Release> ParseRelease(std::string_view text) {
  std::string_view name = text;
  if (name.starts_with('v')) name.remove_prefix(1);
  const size_t dot = name.find('.');
  const size_t patch = dot == std::string_view::npos ? dot : name.find('.', dot + 1);
  name = name.substr(0, patch);
  std::vector<std::string> known;
  for (const Release release : kReleases) {
    if (ReleaseName(release) == name) return release;
    known.push_back(ReleaseName(release));
  }
  return Fail(StatusReason::kInvalid,
              fmt::format("unknown release {:?}: expected one of {}{}",
                          text,
                          fmt::join(known, ", "),
                          NearestOf(name, known)));
}

}  // namespace dray::api
