// SPDX-License-Identifier: Apache-2.0
// What the server decides about kinds of resource.k8s.io: functions of their strategies.
#pragma once

#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/object.h"
#include "base/world.h"

namespace dray::server::registry {

/// A driver's report about a device goes with the device (KEP-4817).
void PrepareClaimStatus(api::Object& object, const api::Object& old);

/// The time says since when devices have this effect, so it moves with the effect unless the client
/// moved it (KEP-5055). Since 1.36; before, it stays.
void PrepareTaintRule(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      const api::Profile& profile);

/// Names of drivers in capitals, since 1.35.
std::vector<std::string> SliceWarnings(const api::Object& object,
                                       const api::Object* old,
                                       const api::Profile& profile);

}  // namespace dray::server::registry
