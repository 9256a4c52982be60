// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/offline_objects.h"

#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/core_v1/limit_range.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/defaults/defaults.h"
#include "api/resource_v1/claim_template.h"
#include "api/scheduling_v1.h"
#include "api/value/time.h"
#include "base/parallel.h"
#include "base/text_uuid.h"
#include "planning/objects/repeated_objects.h"
#include "planning/objects/wanted_pods.h"
#include "scheduler/cluster/cluster_cache.h"

namespace dray::planning::inline objects {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

class Sorter {
 public:
  /// Adds a manifest whose object is in its stored form.
  void Add(const manifests::ManifestObject& manifest) {
    const api::Object& object = manifest.object;
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
    } else if (IsWorkload(object)) {
      AddWorkload(manifest);
      if (scheduler::LooksAt(object)) sorted_.looked_at.push_back(object);
    } else if (scheduler::LooksAt(object)) {
      sorted_.looked_at.push_back(object);
    } else if (object.If<core::ResourceQuota>() != nullptr) {
      sorted_.quotas.push_back(object);
    } else if (object.If<core::LimitRange>() != nullptr) {
      sorted_.limit_ranges.push_back(object);
    } else if (object.If<api::scheduling_v1::PriorityClass>() != nullptr) {
      sorted_.priority_classes.push_back(object);
    } else if (object.kind().group == "resource.k8s.io") {
      const std::string kind = fmt::format("{} {}", object.kind().api_version, object.kind().kind);
      sorted_.notes.push_back(fmt::format("{}: skipped {}: this allocator does not look at it",
                                          manifests::PlaceOf(manifest),
                                          kind));
      ++sorted_.skipped[kind];
    } else {
      ++sorted_.others[std::string(object.kind().kind)];
    }
  }

  OfflineObjects Finish() && {
    for (const std::string& name : slice_nodes_) {
      core::Node node;
      node.metadata.name = name;
      sorted_.nodes.try_emplace(name, api::Object::Of(std::move(node)));
    }
    return std::move(sorted_);
  }

 private:
  void AddWorkload(const manifests::ManifestObject& manifest) {
    const api::Object& object = manifest.object;
    PlacedObject workload{object, manifests::PlaceOf(manifest)};
    const auto [known, is_new] = workloads_.try_emplace(
        fmt::format("{} {}", object.kind().kind, api::ObjectKey(object.metadata())),
        sorted_.workloads.size());
    if (is_new) {
      sorted_.workloads.push_back(
          {.workload = std::move(workload), .pods_before = sorted_.pods.size()});
    } else {
      sorted_.workloads[known->second].workload = std::move(workload);
    }
  }

  OfflineObjects sorted_;
  std::set<std::string> slice_nodes_;
  std::map<std::string, size_t> workloads_;  // indexes into sorted_.workloads
};

/// The number of objects that a thread takes at a time.
constexpr size_t kObjectsAtOnce = 64;

/// The object must not be shared. `uid`: for an object that has none.
api::Object Stored(api::Object object,
                   std::string uid,
                   const api::Time& now,
                   const std::string& default_namespace) {
  api::meta_v1::ObjectMeta& metadata = object.mutable_metadata();
  if (object.kind().namespaced && metadata.namespace_.empty())
    metadata.namespace_ = default_namespace;
  if (metadata.uid.empty()) metadata.uid = std::move(uid);
  if (metadata.name.empty()) metadata.name = metadata.generate_name + "0";
  api::defaults::SetDefaults(object, now);
  return api::conversion::ToHub(object);
}

/// The uid for an object of that kind and name.
std::string UidFor(const api::Object& object, const std::string& default_namespace) {
  const api::meta_v1::ObjectMeta& metadata = object.metadata();
  if (!metadata.uid.empty()) return {};
  const bool is_default = object.kind().namespaced && metadata.namespace_.empty();
  return UuidOf(fmt::format("{} {}/{}{}",
                            object.kind().kind,
                            is_default ? default_namespace : metadata.namespace_,
                            metadata.name,
                            metadata.generate_name));
}

/// The uids of objects that have none. Repeated names get different uids.
std::vector<std::string> UidsFor(const std::vector<manifests::ManifestObject>& objects,
                                 const std::string& default_namespace) {
  std::vector<std::string> uids;
  uids.reserve(objects.size());
  std::unordered_map<std::string, size_t> seen;
  for (const manifests::ManifestObject& one : objects) {
    std::string uid = UidFor(one.object, default_namespace);
    if (const size_t before = uid.empty() ? 0 : seen[uid]++; before > 0)
      uid = UuidOf(fmt::format("{} {}", uid, before));
    uids.push_back(std::move(uid));
  }
  return uids;
}

}  // namespace

api::Object AsStored(World& world,
                     const api::Object& object,
                     const std::string& default_namespace) {
  return Stored(object.Clone(),
                UidFor(object, default_namespace),
                api::Time::Of(world.clock.Now()),
                default_namespace);
}

std::vector<manifests::ManifestObject> CopiesOf(
    const std::vector<manifests::ManifestObject>& objects) {
  std::vector<manifests::ManifestObject> copies = objects;
  for (manifests::ManifestObject& copy : copies) copy.object = copy.object.Clone();
  return copies;
}

OfflineObjects SortManifests(World& world,
                             manifests::Manifests&& manifests,
                             const std::string& default_namespace) {
  std::vector<manifests::ManifestObject> objects = std::move(manifests.objects);
  std::vector<std::string> uids = UidsFor(objects, default_namespace);
  std::vector<Naming> naming;
  naming.reserve(objects.size());
  for (const manifests::ManifestObject& one : objects) {
    const api::meta_v1::ObjectMeta& metadata = one.object.metadata();
    naming.push_back({.is_named = !metadata.name.empty(), .has_uid = !metadata.uid.empty()});
  }
  const api::Time now = api::Time::Of(world.clock.Now());
  InParallel(objects.size(), kObjectsAtOnce, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      objects[i].object =
          Stored(std::move(objects[i].object), std::move(uids[i]), now, default_namespace);
    }
  });
  JoinRepeated(objects, naming);
  Sorter sorter;
  for (const manifests::ManifestObject& manifest : objects) sorter.Add(manifest);
  return std::move(sorter).Finish();
}

}  // namespace dray::planning::inline objects
