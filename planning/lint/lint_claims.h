// SPDX-License-Identifier: Apache-2.0
// Mistakes in the requests and constraints of claims.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/lint_finding.h"
#include "planning/lint/lint_selectors.h"

namespace dray::planning::inline lint {

using ClassesByName = std::map<std::string, const api::resource_v1::DeviceClass*, std::less<>>;

/// Checks the claim at `field` ("spec.devices"). Requests whose class is unknown are compared with
/// all devices, because no class can select what no device has. O(devices) for each different class
/// and list of selectors, and for each constraint on them.
void LintClaim(const std::string& field,
               const api::resource_v1::DeviceClaim& claim,
               const ClassesByName& classes,
               LintDevices& devices,
               FindingList& findings);

}  // namespace dray::planning::inline lint
