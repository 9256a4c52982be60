// SPDX-License-Identifier: Apache-2.0
// Structs of which exactly one member may be set.
#pragma once

#include <string_view>
#include <vector>

#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::api::validation {

/// The members that are set, by their JSON names.
using UnionMembers = std::vector<std::string_view>;

/// Exactly one member must be set; the text is that of declarative validation. `all` lists the
/// members in backticks.
void CheckUnion(const UnionMembers& members,
                std::string_view all,
                const Path& path,
                FieldErrors& errors);

}  // namespace dray::api::validation
