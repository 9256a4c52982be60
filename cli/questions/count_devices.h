// SPDX-License-Identifier: Apache-2.0
// Counts the devices of an input.
#pragma once

#include <string>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/input/offline_input.h"
#include "planning/capacity/capacity.h"
#include "planning/objects/offline_objects.h"

namespace dray::cli::inline questions {

struct CountOptions {
  planning::CapacityBy by = planning::CapacityBy::kDriver;
  std::string node = {};               // one of the input: only devices that it can use; empty: all
  std::string driver = {}, pool = {};  // only these; empty: all
  bool lists_devices = false;          // each by itself, in place of rows
};

/// Errors: kBadRequest  a node selector of a slice is invalid.
Result<planning::CapacityReport> CountDevices(World& world,
                                              const OfflineInput& input,
                                              const CountOptions& options);

/// The claims of an input, by name.
std::vector<Frozen<api::resource_v1::ResourceClaim>> ClaimsOf(
    const planning::OfflineObjects& objects);

}  // namespace dray::cli::inline questions
