// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/volumes.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

/// Separates the values in the zone label of a volume that is in several zones.
constexpr std::string_view kBetweenZones = "__";

struct ZoneLabel {
  std::string_view name;
  std::string_view newer;  // the name that a node may use instead
};
constexpr ZoneLabel kZoneLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
};

const std::string* LabelOf(const api::Labels& labels, std::string_view name) {
  const auto found = labels.find(name);
  return found == labels.end() ? nullptr : &found->second;
}

bool IsOneOf(std::string_view value, std::string_view values) {
  for (size_t at = 0; at <= values.size();) {
    const size_t end = std::min(values.find(kBetweenZones, at), values.size());
    if (values.substr(at, end - at) == value) return true;
    at = end + kBetweenZones.size();
  }
  return false;
}

/// A node without zone labels counts as being in all zones.
bool IsInZone(const core_v1::PersistentVolume& volume, const core_v1::Node& node) {
  const bool has_zone = std::ranges::any_of(kZoneLabels, [&](const ZoneLabel& label) {
    return LabelOf(node.metadata.labels, label.name) != nullptr;
  });
  return !has_zone || std::ranges::all_of(kZoneLabels, [&](const ZoneLabel& label) {
    const std::string* wanted = LabelOf(volume.metadata.labels, label.name);
    if (wanted == nullptr) return true;
    const std::string* here = LabelOf(node.metadata.labels, label.name);
    if (here == nullptr) here = LabelOf(node.metadata.labels, label.newer);
    return here != nullptr && IsOneOf(*here, *wanted);
  });
}

std::optional<Rejection> FilterZones(const PodInAttempt& pod, const NodeState& node) {
  if (pod.volumes == nullptr) return std::nullopt;
  const bool is_in_zone = std::ranges::all_of(
      pod.volumes->volumes, [&](const auto* volume) { return IsInZone(*volume, node.value()); });
  if (is_in_zone) return std::nullopt;
  return Rejection{.reasons = {"node(s) had no available volume zone"}};
}

}  // namespace

/// Requires the zones of the pod's volumes.
extern const Plugin kVolumeZone{
    .name = "VolumeZone", .filter = FilterZones, .retry = ClusterEvent::kVolumes};

}  // namespace dray::scheduler::inline plugins
