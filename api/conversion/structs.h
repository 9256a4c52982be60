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

/// The direction between a version and its hub. `release` determines the fields of the version; the
/// hub has all its fields.
struct Way {
  Direction direction;
  Release release;
};

/// Fills `to`, which is new, with everything of `from` that it can express.
void ConvertValue(Way way, const Type& from_type, const void* from, const Type& to_type, void* to);

/// Clears the fields of the hub struct `value` that its own version does not have in `release`.
void Prune(const Type& type, void* value, Release release);
/// Whether Prune would change anything.
bool NeedsPruning(const Type& type, const void* value, Release release);

/// Converts `hub` to `version` and back; returns `hub` itself if nothing is lost.
Object ThereAndBack(const Object& hub, const KindInfo& version, Release release);

}  // namespace dray::api::conversion
