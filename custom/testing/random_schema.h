// SPDX-License-Identifier: Apache-2.0
// Schemas and values by chance: the same for the same state of the generator.
#pragma once

#include <cstddef>
#include <random>

#include "api/value/tree.h"
#include "custom/schema/schema.h"

namespace dray::custom::testing {

/// The JSON of a structural schema of an object, at most `depth` levels deep, with rules of all
/// kinds; defaults need not keep them.
api::Tree RandomSchema(std::mt19937& random, size_t depth);

/// A value for `node`: mostly one of its type, now and then of another, null, or with members that
/// the schema does not have.
api::Tree RandomValue(std::mt19937& random, const schema::Node& node);

}  // namespace dray::custom::testing
