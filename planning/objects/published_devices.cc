// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/published_devices.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/value/time.h"

namespace dray::planning::inline objects {
namespace {

namespace v1 = api::resource_v1;

constexpr std::string_view kSliceKind = "ResourceSlice";

/// The slices as an API server would store them, and what was left out.
struct Slices {
  std::vector<const manifests::ManifestObject*> kept;
  std::vector<std::string> notes;
  size_t classic = 0;  // of the kinds of classic DRA
};

bool IsClassic(const api::KindInfo& kind) {
  return kind.kind == kSliceKind && kind.storage().version != "v1";
}

Slices SlicesIn(const manifests::Manifests& manifests) {
  Slices slices;
  std::map<std::string_view, size_t> by_name;
  for (const manifests::ManifestObject& manifest : manifests.objects) {
    const api::KindInfo& kind = manifest.object.kind();
    if (kind.kind != kSliceKind || kind.group != "resource.k8s.io") continue;
    const std::string& name = manifest.object.metadata().name;
    if (IsClassic(kind)) {
      ++slices.classic;
      slices.notes.push_back(
          fmt::format("{}:{}: skipped ResourceSlice {} of {}: it has named resources, no devices",
                      manifest.file,
                      manifest.line,
                      name,
                      kind.version));
      continue;
    }
    const auto [found, is_new] = by_name.try_emplace(name, slices.kept.size());
    if (name.empty() || is_new) {
      slices.kept.push_back(&manifest);
      continue;
    }
    const manifests::ManifestObject*& kept = slices.kept[found->second];
    slices.notes.push_back(fmt::format("{}:{}: ResourceSlice {} replaces the one at {}:{}",
                                       manifest.file,
                                       manifest.line,
                                       name,
                                       kept->file,
                                       kept->line));
    kept = &manifest;
  }
  return slices;
}

std::string WhyNone(const manifests::Manifests& manifests, size_t classic) {
  if (classic > 0) {
    return "only ResourceSlices of 1.30 and before, whose named resources are not devices";
  }
  if (manifests.objects.empty())
    return "no ResourceSlice: the files hold no objects that Dray knows";
  std::map<std::string_view, size_t> kinds;
  for (const manifests::ManifestObject& manifest : manifests.objects)
    ++kinds[manifest.object.kind().kind];
  std::string found;
  for (const auto& [kind, count] : kinds) {
    found += fmt::format("{}{} {}", found.empty() ? "" : ", ", count, kind);
  }
  return "no ResourceSlice, only " + found;
}

}  // namespace

std::string PublishedDevice::ToText() const {
  return fmt::format("{}/{}/{}", driver, pool, device->name);
}

size_t SelectorTermsOf(const api::resource_v1::Device& device) {
  return device.node_selector.has_value() ? device.node_selector->node_selector_terms.size() : 0;
}

Result<DeviceList> DeviceList::Of(World& world, const manifests::Manifests& manifests) {
  Slices slices = SlicesIn(manifests);
  if (slices.kept.empty()) {
    return Fail(StatusReason::kBadRequest, WhyNone(manifests, slices.classic));
  }
  DeviceList list;
  list.notes_ = std::move(slices.notes);
  std::map<std::pair<std::string_view, std::string_view>, int64_t> newest;  // driver, pool
  for (const manifests::ManifestObject* manifest : slices.kept) {
    api::Object stored = manifest->object.Clone();
    api::defaults::SetDefaults(stored, api::Time::Of(world.clock.Now()));
    list.slices_.push_back(api::conversion::ToHub(stored));
    const auto& spec = list.slices_.back().As<v1::ResourceSlice>().spec;
    int64_t& generation =
        newest.try_emplace({spec.driver, spec.pool.name}, spec.pool.generation).first->second;
    generation = std::max(generation, spec.pool.generation);
  }
  size_t outdated = 0;
  for (const api::Object& object : list.slices_) {
    const auto& spec = object.As<v1::ResourceSlice>().spec;
    if (spec.pool.generation < newest.at({spec.driver, spec.pool.name})) {
      ++outdated;
      continue;
    }
    for (const v1::Device& device : spec.devices) {
      const std::string_view node = device.node_name.has_value() ? *device.node_name
                                    : spec.node_name.has_value() ? *spec.node_name
                                                                 : std::string_view();
      list.devices_.push_back(
          {.driver = spec.driver, .pool = spec.pool.name, .node = node, .device = &device});
    }
  }
  if (outdated > 0) {
    list.notes_.push_back(
        fmt::format("{} of {} slices do not count: their pools have a newer generation",
                    outdated,
                    list.slices_.size()));
  }
  return list;
}

}  // namespace dray::planning::inline objects
