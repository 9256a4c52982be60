// SPDX-License-Identifier: Apache-2.0
#include "planning/offline_objects.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/resource_v1/claim_template.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

class Sorter {
 public:
  Sorter(World& world, const std::string& default_namespace)
      : world_(world), default_namespace_(default_namespace) {}

  void Add(const manifests::ManifestObject& manifest) {
    const api::Object object = AsStored(world_, manifest.object, default_namespace_);
    const std::string key = api::ObjectKey(object.metadata());
    if (const auto* slice = object.If<v1::ResourceSlice>()) {
      if (slice->spec.node_name.has_value()) slice_nodes_.insert(*slice->spec.node_name);
      sorted_.slices.push_back(api::FrozenOf<v1::ResourceSlice>(object));
    } else if (object.If<v1::DeviceClass>() != nullptr) {
      sorted_.classes.push_back(api::FrozenOf<v1::DeviceClass>(object));
    } else if (object.If<v1::DeviceTaintRule>() != nullptr) {
      sorted_.taint_rules.push_back(api::FrozenOf<v1::DeviceTaintRule>(object));
    } else if (object.If<v1::ResourceClaimTemplate>() != nullptr) {
      sorted_.templates.insert_or_assign(key, object);
    } else if (object.If<v1::ResourceClaim>() != nullptr) {
      const bool is_new =
          sorted_.claims.insert_or_assign(key, PlacedObject{object, manifests::PlaceOf(manifest)})
              .second;
      if (is_new) sorted_.claim_order.push_back(key);
    } else if (object.If<core::Pod>() != nullptr) {
      sorted_.pods.push_back({object, manifests::PlaceOf(manifest)});
    } else if (object.If<core::Node>() != nullptr) {
      sorted_.nodes.insert_or_assign(object.metadata().name, object);
      sorted_.has_nodes = true;
    } else if (object.kind().group.empty() && object.kind().kind == "Namespace") {
      sorted_.namespaces.insert_or_assign(object.metadata().name, object);
    } else if (object.kind().group == "resource.k8s.io") {
      sorted_.notes.push_back(fmt::format("{}: skipped {} {}: this allocator does not look at it",
                                          manifests::PlaceOf(manifest),
                                          manifest.object.kind().api_version(),
                                          manifest.object.kind().kind));
    }
  }

  OfflineObjects Finish() && {
    if (sorted_.nodes.empty() && slice_nodes_.empty()) slice_nodes_.insert("node");
    for (const std::string& name : slice_nodes_) {
      core::Node node;
      node.metadata.name = name;
      sorted_.nodes.try_emplace(name, api::Object::Of(std::move(node)));
    }
    return std::move(sorted_);
  }

 private:
  World& world_;
  const std::string& default_namespace_;
  OfflineObjects sorted_;
  std::set<std::string> slice_nodes_;
};

}  // namespace

api::Object AsStored(World& world,
                     const api::Object& object,
                     const std::string& default_namespace) {
  api::Object stored = object.Clone();
  api::meta_v1::ObjectMeta& metadata = stored.mutable_metadata();
  if (stored.kind().namespaced && metadata.namespace_.empty())
    metadata.namespace_ = default_namespace;
  if (metadata.uid.empty()) metadata.uid = NewUuid(world.random);
  if (metadata.name.empty()) metadata.name = metadata.generate_name + "0";
  api::defaults::SetDefaults(stored, api::Time::Of(world.clock.Now()));
  return api::conversion::ToHub(stored);
}

OfflineObjects SortManifests(World& world,
                             const manifests::Manifests& manifests,
                             const std::string& default_namespace) {
  Sorter sorter(world, default_namespace);
  for (const manifests::ManifestObject& manifest : manifests.objects) sorter.Add(manifest);
  return std::move(sorter).Finish();
}

}  // namespace dray::planning
