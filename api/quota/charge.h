// SPDX-License-Identifier: Apache-2.0
// What objects are charged for under a ResourceQuota: upstream's quota evaluators, with those for
// claims and their devices (KEP-4381, KEP-5004).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/quota/amounts.h"
#include "base/world.h"

namespace dray::api::quota {

/// What a charge depends on besides the object. Whatever is left empty is not there.
struct Surroundings {
  WallTime now;  // a pod that should have gone by now is not charged for
  /// The extended resource that a class stands for; empty: none. Not set: the release has no such
  /// resources.
  std::function<std::string(std::string_view device_class)> resource_of_class = {};
  /// A pod of the object's namespace; an empty Object: there is none.
  std::function<Object(std::string_view name)> pod = {};
  /// The claims of the object's namespace that were made for the extended resources of a pod.
  std::function<std::vector<Object>(std::string_view pod_uid)> claims_of_pod = {};
};

/// Whether objects of the kind are counted at all: namespaced ones, but for Events.
bool IsCounted(const KindInfo& kind);

/// What `object` is charged for. A claim is charged for the most devices that it may get of each
/// class; one that the scheduler made for a pod's extended resources only for what its pod is not
/// charged for already. O(object).
Amounts ChargeOf(const Object& object, const Surroundings& surroundings);

/// Whether `name`, a name in a quota, is about objects of the kind.
bool IsAbout(const KindInfo& kind, std::string_view name);

}  // namespace dray::api::quota
