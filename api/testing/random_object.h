// SPDX-License-Identifier: Apache-2.0
// Objects for property tests: any kind, filled by chance from a seed.
#pragma once

#include <cstdint>

#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/world.h"

namespace dray::api::testing {

/// How full and how large.
struct Shape {
  uint32_t filled_percent = 60;  // members that are set at all
  uint32_t elements_max = 3;     // of a list or map
  Wire wire = {};                // only members that this form has
};

/// Fills `value`, which is new, at random. Values are small and decode to themselves; they need not
/// be valid. Elements of sets differ, those of keyed lists differ in their key, others in their
/// name.
void FillAtRandom(const Type& type, void* value, Random& random, const Shape& shape);

/// A new object of `kind`, filled like that.
Object RandomObject(const KindInfo& kind, Random& random, const Shape& shape = {});

}  // namespace dray::api::testing
