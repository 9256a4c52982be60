// SPDX-License-Identifier: Apache-2.0
// What else a pod names: secrets, config maps, claims, and whatever a kubelet reads of the API for
// it. All containers count, and all sources of volumes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::api::pods {

/// Called with a name; answers whether to go on.
using VisitName = std::function<bool(const std::string& name)>;

/// Calls `visit` with each secret that the pod names, some more than once, never with an empty
/// name. False when `visit` ended it.
bool VisitSecrets(const core_v1::Pod& pod, const VisitName& visit);
/// The same of config maps.
bool VisitConfigMaps(const core_v1::Pod& pod, const VisitName& visit);

/// The claim that a volume stands for, by name or made with the pod; empty: it stands for none.
std::string VolumeClaimOf(const core_v1::Pod& pod, const core_v1::Volume& volume);

/// A kind of object that the pod makes a kubelet read, in the words by which upstream refuses it;
/// empty: none. A volume that says of nothing what it is counts as one: `is_unknown` is set, and
/// the answer is what to say of it.
struct ReadObject {
  std::string what = {};
  bool is_unknown = false;
};
ReadObject ObjectReadFor(const core_v1::Pod& pod);

}  // namespace dray::api::pods
