// SPDX-License-Identifier: Apache-2.0
// Computed cells of services, storage and admission.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object.h"

namespace dray::server::documents {

/// The cell named `compute` of `object`, as JSON; nullopt when this file has no such cell.
std::optional<std::string> ClusterCell(std::string_view compute, const api::Object& object);

}  // namespace dray::server::documents
