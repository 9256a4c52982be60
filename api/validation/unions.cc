// SPDX-License-Identifier: Apache-2.0
#include "api/validation/unions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dray::api::validation {

void CheckUnion(const UnionMembers& members,
                std::string_view all,
                const Path& path,
                FieldErrors& errors) {
  if (members.size() == 1) return;
  if (members.empty()) {
    errors.Invalid(path, Shown(""), fmt::format("must specify one of: {}", all));
  } else {
    errors.Invalid(path,
                   Shown(fmt::format("{{{}}}", fmt::join(members, ", "))),
                   fmt::format("must specify exactly one of: {}", all));
  }
}

}  // namespace dray::api::validation
