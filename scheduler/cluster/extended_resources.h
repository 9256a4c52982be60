// SPDX-License-Identifier: Apache-2.0
// Extended resources that device classes serve (KEP-5004): the class for each resource, and the
// device requests that a pod's extended resources amount to.
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

/// Stands for a claim that is not created yet. It is no valid name of a claim.
inline constexpr std::string_view kExtendedClaimName = "<extended-resources>";

/// The class that serves an extended resource; null: none does.
using ClassOfResource = std::function<const std::string*(std::string_view resource)>;

/// Maps extended resources to classes. If several classes name a resource, the newest serves it; of
/// classes made in the same second, the first by name. Not thread-safe.
class ExtendedResourceClasses {
 public:
  /// Records the current state of a class; null: the class is gone. O(log classes).
  void SetClass(const std::string& name, const api::resource_v1::DeviceClass* now);
  /// Null when no class serves it. Valid until the next SetClass.
  const std::string* ClassOf(std::string_view resource) const;

 private:
  struct Named {
    std::string resource;  // empty: only the implicit one, prefix and class name
    int64_t made = 0;      // seconds
  };
  std::map<std::string, Named, std::less<>> classes_;
  /// The classes that name a resource, best first: by the seconds made, negated, then the name.
  std::map<std::string, std::set<std::pair<int64_t, std::string>>, std::less<>> by_resource_;
};

/// The device requests of a pod's containers, and the request that serves each resource.
struct ExtendedRequests {
  std::vector<api::resource_v1::DeviceRequest> requests;  // by name
  std::vector<api::core_v1::ContainerExtendedResourceRequest> mappings;
};

/// The requests for those `resources` of the pod that a class serves. Each container that runs for
/// long gets its own request. Init containers that end may use devices of later containers; only
/// the largest need beyond those becomes a request, which they share.
ExtendedRequests RequestsForResources(const api::core_v1::Pod& pod,
                                      const std::set<std::string, std::less<>>& resources,
                                      const ClassOfResource& class_of);

/// The claim to create for extended resources of `pod`; it has no name yet.
api::resource_v1::ResourceClaim MakeExtendedClaim(
    const api::core_v1::Pod& pod, std::vector<api::resource_v1::DeviceRequest> requests);

}  // namespace dray::scheduler::inline cluster
