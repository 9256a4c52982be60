// SPDX-License-Identifier: Apache-2.0
// Upstream checks definitions in an internal form. Where all versions have the same schema,
// subresources, columns or selectable fields, that form has them once, above the versions, and
// errors name them there: spec.validation.openAPIV3Schema, not spec.versions[0].schema….
#pragma once

#include "api/apiextensions_v1.h"

namespace dray::custom::definitions {

/// Which parts stand above the versions.
struct Hoisted {
  bool schema = false;
  bool subresources = false;
  bool columns = false;
  bool selectable_fields = false;
};

/// A definition without versions has nothing to hoist. O(size).
Hoisted FindHoisted(const api::apiextensions_v1::CustomResourceDefinitionSpec& spec);

}  // namespace dray::custom::definitions
