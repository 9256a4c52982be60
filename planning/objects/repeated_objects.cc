// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/repeated_objects.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"

namespace dray::planning::inline objects {
namespace {

using api::core_v1::Node;
using api::core_v1::Pod;
using api::resource_v1::ResourceClaim;

/// Keeps metadata that the server or other clients wrote and the manifest does not name.
void KeepMetadata(api::meta_v1::ObjectMeta& meta, const api::meta_v1::ObjectMeta& before) {
  meta.uid = before.uid;
  meta.creation_timestamp = before.creation_timestamp;
  meta.deletion_timestamp = before.deletion_timestamp;
  if (meta.owner_references.empty()) meta.owner_references = before.owner_references;
  if (meta.finalizers.empty()) meta.finalizers = before.finalizers;
}

template <class T>
void KeepStatus(api::Object& object, const api::Object& before) {
  T& value = object.Mutable<T>();
  if (value.status == decltype(value.status)()) value.status = before.As<T>().status;
}

void KeepSpec(api::Object& object, const api::Object& before) {
  if (const auto* pod = before.If<Pod>(); pod != nullptr && !pod->spec.node_name.empty()) {
    object.Mutable<Pod>().spec = pod->spec;
  }
  const auto* claim = before.If<ResourceClaim>();
  if (claim != nullptr && claim->status.allocation.has_value()) {
    object.Mutable<ResourceClaim>().spec = claim->spec;
  }
}

/// `object` applied over `before`; `has_uid`: the input gives `object` a uid.
api::Object Applied(api::Object object, const api::Object& before, bool has_uid) {
  if (has_uid && object.metadata().uid != before.metadata().uid) return object;
  KeepMetadata(object.mutable_metadata(), before.metadata());
  if (object.If<Pod>() != nullptr) KeepStatus<Pod>(object, before);
  if (object.If<Node>() != nullptr) KeepStatus<Node>(object, before);
  if (object.If<ResourceClaim>() != nullptr) KeepStatus<ResourceClaim>(object, before);
  KeepSpec(object, before);
  return object;
}

}  // namespace

void JoinRepeated(std::vector<manifests::ManifestObject>& objects,
                  const std::vector<Naming>& naming) {
  using Key = std::tuple<std::string_view, std::string_view, std::string>;
  std::map<Key, size_t> first;
  std::vector<manifests::ManifestObject> kept;
  kept.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    manifests::ManifestObject& one = objects[i];
    const api::KindInfo& kind = one.object.kind();
    Key key(kind.group, kind.kind, api::ObjectKey(one.object.metadata()));
    const auto [known, is_new] = first.try_emplace(std::move(key), kept.size());
    if (is_new || !naming[i].is_named) {
      kept.push_back(std::move(one));
      continue;
    }
    manifests::ManifestObject& before = kept[known->second];
    one.object = Applied(std::move(one.object), before.object, naming[i].has_uid);
    before = std::move(one);
  }
  objects = std::move(kept);
}

}  // namespace dray::planning::inline objects
