// SPDX-License-Identifier: Apache-2.0
// Which pods and claims somebody should still decide about.
#pragma once

#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::planning::inline objects {

/// Resources that the pod asks for and that nodes do not have by nature, sorted.
std::vector<std::string> ExtendedResources(const api::core_v1::Pod& pod);

/// Whether the pod takes part in the question who gets which devices: it names claims, or asks for
/// extended resources.
bool UsesDevices(const api::core_v1::Pod& pod);

/// Why the scheduler does not try the pod: its scheduling gates; empty: it does.
std::string WhyNotTried(const api::core_v1::Pod& pod);
/// What there is to know of a decision about the pod: that another scheduler makes it; or empty.
std::string NoteAbout(const api::core_v1::Pod& pod);

/// Why nobody decides about the pod: "is on node a"; empty: it waits.
std::string StateOf(const api::core_v1::Pod& pod);
/// The same of a claim: "has devices: …".
std::string StateOf(const api::resource_v1::ResourceClaim& claim);
/// Whether that text is empty.
bool Waits(const api::resource_v1::ResourceClaim& claim);

}  // namespace dray::planning::inline objects
