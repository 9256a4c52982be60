// SPDX-License-Identifier: Apache-2.0
// The objects that a pod refers to: secrets, config maps, claims, and all others that a kubelet
// reads for it. Includes all containers and all sources of volumes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::api::pods {

/// Called with a name; returns false to stop.
using VisitName = std::function<bool(const std::string& name)>;

/// Calls `visit` with each secret that the pod names, some more than once, never with an empty
/// name. Returns false if `visit` stopped it.
bool VisitSecrets(const core_v1::Pod& pod, const VisitName& visit);
/// The same of config maps.
bool VisitConfigMaps(const core_v1::Pod& pod, const VisitName& visit);

/// The claim of a volume, named or made with the pod; empty if the volume has none.
std::string VolumeClaimOf(const core_v1::Pod& pod, const core_v1::Volume& volume);

/// A kind of object that the pod makes a kubelet read, in the words with which upstream refuses it;
/// empty: none. A volume without a source counts as one; then `is_unknown` is set, and the text is
/// the complete message.
struct ReadObject {
  std::string what = {};
  bool is_unknown = false;
};
ReadObject ObjectReadFor(const core_v1::Pod& pod);

}  // namespace dray::api::pods
