// SPDX-License-Identifier: Apache-2.0
// The amounts that objects use of a ResourceQuota: upstream's quota evaluators, including those for
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

/// Inputs of a charge besides the object. An empty member means that there is none.
struct Surroundings {
  WallTime now;  // a pod that should have gone by now is not charged
  /// The extended resource of a class; empty if it has none. Not set if the release has no such
  /// resources.
  std::function<std::string(std::string_view device_class)> resource_of_class = {};
  /// Finds a pod in the object's namespace; an empty Object if it does not exist.
  std::function<Object(std::string_view name)> pod = {};
  /// The claims of the object's namespace that were made for the extended resources of a pod.
  std::function<std::vector<Object>(std::string_view pod_uid)> claims_of_pod = {};
};

/// Whether objects of the kind are counted at all: namespaced ones, but for Events.
bool IsCounted(const KindInfo& kind);

/// The amounts for `object`. A claim is charged for the largest number of devices of each class
/// that it may get. A claim that the scheduler made for a pod's extended resources is charged only
/// for the amounts that its pod is not charged for. O(object).
Amounts ChargeOf(const Object& object, const Surroundings& surroundings);

/// Whether `name`, a name in a quota, is about objects of the kind.
bool IsAbout(const KindInfo& kind, std::string_view name);

}  // namespace dray::api::quota
