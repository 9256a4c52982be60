// SPDX-License-Identifier: Apache-2.0
// Conversion of one struct of one version into that of another: members with the same JSON name are
// copied by the tables, and the few pairs of structs that differ in shape have a function each.
#pragma once

#include <cstdint>

#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "api/release.h"

namespace dray::api::conversion {

enum class Direction : uint8_t { kToHub, kFromHub };

/// One way between a version and its hub. `release` says which fields the version has; the hub has
/// all of its own.
struct Way {
  Direction direction;
  Release release;
};

/// Fills `to`, which is new, with what it can express of `from`.
void ConvertValue(Way way, const Type& from_type, const void* from, const Type& to_type, void* to);

/// Makes zero what the hub struct `value` holds and its own version does not show in `release`.
void Prune(const Type& type, void* value, Release release);
/// Whether Prune would change anything.
bool NeedsPruning(const Type& type, const void* value, Release release);

/// What is left of `hub` after `version` has shown it: itself when that is everything.
Object ThereAndBack(const Object& hub, const KindInfo& version, Release release);

}  // namespace dray::api::conversion
