// SPDX-License-Identifier: Apache-2.0
// Extended resources that device classes serve (KEP-5004): which class stands for which resource,
// and what a pod that asks for such resources would ask of devices.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"

namespace dray::scheduler::inline cluster {

/// No claim can be named so: the one that is not created yet.
inline constexpr std::string_view kExtendedClaimName = "<extended-resources>";

/// The class that serves an extended resource; null: none does.
using ClassOfResource = std::function<const std::string*(std::string_view resource)>;

/// Which class serves which resource. Of several classes that name the same one the newest does,
/// and of those made in the same second the first by name. One thread.
class ExtendedResourceClasses {
 public:
  /// The class is now as `now` says; null: it is gone. O(log classes).
  void SetClass(const std::string& name, const api::resource_v1::DeviceClass* now);
  /// Null when no class serves it. Valid until the next SetClass.
  const std::string* ClassOf(std::string_view resource) const;

 private:
  struct Named {
    std::string resource;  // empty: only the one of the prefix
    int64_t made = 0;      // seconds
  };
  std::map<std::string, Named, std::less<>> classes_;
  /// The classes that name a resource, best first: by the seconds made, negated, then the name.
  std::map<std::string, std::set<std::pair<int64_t, std::string>>, std::less<>> by_resource_;
};

/// What the containers of a pod ask of devices, and which request serves which of them.
struct ExtendedRequests {
  std::vector<api::resource_v1::DeviceRequest> requests;  // by name
  std::vector<api::core_v1::ContainerExtendedResourceRequest> mappings;
};

/// The requests for those `resources` of the pod that have a class: one for each container that
/// lives long. Init containers that end may use what later ones will have, and only the largest
/// need beyond that becomes a request, which they share.
ExtendedRequests RequestsForResources(const api::core_v1::Pod& pod,
                                      const std::set<std::string, std::less<>>& resources,
                                      const ClassOfResource& class_of);

/// The claim for extended resources of `pod`: to be created, so without a name.
api::resource_v1::ResourceClaim MakeExtendedClaim(
    const api::core_v1::Pod& pod, std::vector<api::resource_v1::DeviceRequest> requests);

}  // namespace dray::scheduler::inline cluster
