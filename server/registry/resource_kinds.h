// SPDX-License-Identifier: Apache-2.0
// The strategies' functions for kinds of resource.k8s.io.
#pragma once

#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/object.h"
#include "base/world.h"

namespace dray::server::registry {

/// Drops drivers' reports about devices that are no longer allocated (KEP-4817).
void PrepareClaimStatus(api::Object& object,
                        const api::Object& old,
                        const api::Profile& /*profile*/);

/// Sets the time of the taint when its effect changes, unless the client changed the time
/// (KEP-5055). Since 1.36; before, the time stays.
void PrepareTaintRule(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      const api::Profile& profile);

/// Warnings about names of drivers with capital letters, since 1.35.
std::vector<std::string> SliceWarnings(const api::Object& object,
                                       const api::Object* old,
                                       const api::Profile& profile);

}  // namespace dray::server::registry
