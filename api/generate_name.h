// SPDX-License-Identifier: Apache-2.0
// Names that are made up from metadata.generateName.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/meta_v1/object_meta.h"
#include "base/world.h"

namespace dray::api {

/// Limit of the bytes of generateName in a name, so that with the suffix it is a DNS label.
inline constexpr size_t kGeneratePrefixMax = 58;

/// `base`, cut to kGeneratePrefixMax bytes, and five random characters that cannot form words.
std::string GenerateName(std::string_view base, Random& random);

/// Generates a name for an object with generateName and no name.
void NameIfAsked(meta_v1::ObjectMeta& meta, Random& random);

}  // namespace dray::api
