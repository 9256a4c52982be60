// SPDX-License-Identifier: Apache-2.0
// Fields of features that are switched off.
#pragma once

#include "api/feature_gates.h"
#include "api/object.h"

namespace dray::api::validation {

/// Silently drops from `next`, an object in its hub form, the fields of the gates that
/// `profile.release` has and `profile.gates` has off. A feature that the stored object uses stays
/// usable; `old` null: the object is new. What a server does before it validates. `next` is the
/// caller's alone. Cost is linear in the object if a gate is off, else constant.
void DropDisabledFields(Object& next, const Object* old, const Profile& profile);

}  // namespace dray::api::validation
