// SPDX-License-Identifier: Apache-2.0
// Which pods and claims still wait for a decision.
#pragma once

#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::planning::inline objects {

/// The extended resources that the pod requests, sorted.
std::vector<std::string> ExtendedResources(const api::core_v1::Pod& pod);

/// Whether the pod needs devices: it names claims, or requests extended resources.
bool UsesDevices(const api::core_v1::Pod& pod);

/// Why the scheduler does not try the pod: its scheduling gates; empty: the scheduler does.
std::string WhyNotTried(const api::core_v1::Pod& pod);
/// A note on a decision about the pod: that another scheduler makes it; or empty.
std::string NoteAbout(const api::core_v1::Pod& pod);

/// Why the pod needs no decision: "is on node a"; empty: it waits.
std::string StateOf(const api::core_v1::Pod& pod);
/// The same for a claim: "has devices: …".
std::string StateOf(const api::resource_v1::ResourceClaim& claim);
/// Whether StateOf is empty.
bool Waits(const api::resource_v1::ResourceClaim& claim);

}  // namespace dray::planning::inline objects
