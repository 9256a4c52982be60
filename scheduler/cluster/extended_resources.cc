// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/extended_resources.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/pods/life.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using Mapping = core_v1::ContainerExtendedResourceRequest;
using Mappings = std::vector<Mapping>;

/// A container with its index among all of the pod, init containers first.
struct Place {
  const core_v1::Container* container;
  size_t index;
  bool ends;  // it ends before the next one starts
};

std::vector<Place> PlacesOf(const core_v1::Pod& pod) {
  std::vector<Place> places;
  for (const core_v1::Container& container : pod.spec.init_containers) {
    places.push_back({.container = &container,
                      .index = places.size(),
                      .ends = container.restart_policy != "Always"});
  }
  for (const core_v1::Container& container : pod.spec.containers) {
    places.push_back({.container = &container, .index = places.size(), .ends = false});
  }
  return places;
}

int64_t RequestIn(const core_v1::Container& container, const std::string& resource) {
  const auto found = container.resources.requests.find(resource);
  return found == container.resources.requests.end() ? 0 : found->second.Value();
}

/// The name has the indexes of the container, and of the resource among the container's requests.
std::string RequestName(const Place& place, const std::string& resource) {
  const auto& requests = place.container->resources.requests;
  return fmt::format("container-{}-request-{}",
                     place.index,
                     std::distance(requests.begin(), requests.find(resource)));
}

resource_v1::DeviceRequest MakeRequest(std::string name,
                                       const std::string& device_class,
                                       int64_t count) {
  resource_v1::DeviceRequest request{.name = std::move(name)};
  request.exactly.emplace();
  request.exactly->device_class_name = device_class;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = count;
  return request;
}

/// Collects the requests for one resource.
class OneResource {
 public:
  OneResource(const std::string& resource, const std::string& device_class)
      : resource_(resource), device_class_(device_class) {}

  void AddLongLived(const Place& place) {
    const int64_t amount = RequestIn(*place.container, resource_);
    if (amount <= 0) return;
    std::string name = RequestName(place, resource_);
    long_lived_.push_back(MappingTo(place, name));
    kept_.emplace_back(place.index, MakeRequest(std::move(name), device_class_, amount));
  }

  /// Call after all long-lived containers were added.
  void AddShortLived(const Place& place) {
    int64_t missing = RequestIn(*place.container, resource_);
    if (missing <= 0) return;
    for (const auto& [index, request] : kept_) {
      if (index < place.index) continue;
      missing -= request.exactly->count;
      short_lived_.push_back(MappingTo(place, request.name));
      if (missing <= 0) return;
    }
    std::string name = RequestName(place, resource_);
    own_.push_back(short_lived_.size());
    short_lived_.push_back(MappingTo(place, name));
    if (extra_.has_value() && extra_->exactly->count >= missing) return;
    extra_ = MakeRequest(std::move(name), device_class_, missing);
  }

  void MoveTo(ExtendedRequests& all) && {
    if (extra_.has_value()) {
      for (const size_t own : own_) short_lived_[own].request_name = extra_->name;
      all.requests.push_back(*std::move(extra_));
    }
    for (auto& [index, request] : kept_) all.requests.push_back(std::move(request));
    std::ranges::move(long_lived_, std::back_inserter(all.mappings));
    std::ranges::move(short_lived_, std::back_inserter(all.mappings));
  }

 private:
  Mapping MappingTo(const Place& place, const std::string& request) const {
    return {.container_name = place.container->name,
            .resource_name = resource_,
            .request_name = request};
  }

  const std::string& resource_;
  const std::string& device_class_;
  std::vector<std::pair<size_t, resource_v1::DeviceRequest>> kept_;  // by index of the container
  std::optional<resource_v1::DeviceRequest> extra_;  // the largest need of those that end
  Mappings long_lived_, short_lived_;
  std::vector<size_t> own_;  // indexes into short_lived_: those that need the extra request
};

}  // namespace

void ExtendedResourceClasses::SetClass(const std::string& name,
                                       const resource_v1::DeviceClass* now) {
  if (const auto known = classes_.find(name); known != classes_.end()) {
    const auto others = by_resource_.find(known->second.resource);
    if (others != by_resource_.end()) {
      others->second.erase({-known->second.made, name});
      if (others->second.empty()) by_resource_.erase(others);
    }
    classes_.erase(known);
  }
  if (now == nullptr) return;
  Named named{.resource = now->spec.extended_resource_name.value_or(""),
              .made = now->metadata.creation_timestamp.unix_seconds()};
  if (!named.resource.empty()) by_resource_[named.resource].emplace(-named.made, name);
  classes_.emplace(name, std::move(named));
}

const std::string* ExtendedResourceClasses::ClassOf(std::string_view resource) const {
  if (resource.starts_with(api::claims::kClassResourcePrefix)) {
    const auto found = classes_.find(resource.substr(api::claims::kClassResourcePrefix.size()));
    return found == classes_.end() ? nullptr : &found->first;
  }
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? nullptr : &found->second.begin()->second;
}

ExtendedRequests RequestsForResources(const core_v1::Pod& pod,
                                      const std::set<std::string, std::less<>>& resources,
                                      const ClassOfResource& class_of) {
  ExtendedRequests all;
  const std::vector<Place> places = PlacesOf(pod);
  for (const std::string& resource : resources) {
    const std::string* device_class = class_of(resource);
    if (device_class == nullptr) continue;
    OneResource one(resource, *device_class);
    for (const Place& place : places) {
      if (!place.ends) one.AddLongLived(place);
    }
    for (const Place& place : places) {
      if (place.ends) one.AddShortLived(place);
    }
    std::move(one).MoveTo(all);
  }
  std::ranges::sort(all.requests, {}, &resource_v1::DeviceRequest::name);
  return all;
}

resource_v1::ResourceClaim MakeExtendedClaim(const core_v1::Pod& pod,
                                             std::vector<resource_v1::DeviceRequest> requests) {
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.generate_name = pod.metadata.name + "-extended-resources-";
  claim.metadata.annotations[api::claims::kExtendedClaimAnnotation] = "true";
  claim.metadata.owner_references.push_back(api::pods::AsController(pod.metadata));
  std::ranges::move(requests, std::back_inserter(claim.spec.devices.requests));
  return claim;
}

}  // namespace dray::scheduler::inline cluster
