// SPDX-License-Identifier: Apache-2.0
// Fields of features that are switched off.
#pragma once

#include "api/feature_gates.h"
#include "api/object.h"

namespace dray::api::validation::inline devices {

/// Removes from `next`, an object in its hub form, the fields of the gates that `profile.release`
/// has and `profile.gates` has off, without an error. A feature that the stored object uses stays
/// usable; `old` is null for a new object. A server calls this before it validates. The caller must
/// be the only owner of `next`. Cost is linear in the object if a gate is off, else constant.
void DropDisabledFields(Object& next, const Object* old, const Profile& profile);

}  // namespace dray::api::validation::inline devices
