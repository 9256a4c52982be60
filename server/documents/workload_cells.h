// SPDX-License-Identifier: Apache-2.0
// Computed cells of workloads, of their controllers, and of roles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/world.h"

namespace dray::server::documents {

/// The cell named `compute` of `object`, as JSON; nullopt when this file has no such cell.
std::optional<std::string> WorkloadCell(std::string_view compute,
                                        const api::Object& object,
                                        WallTime now);

}  // namespace dray::server::documents
