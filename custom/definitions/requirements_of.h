// SPDX-License-Identifier: Apache-2.0
// Which rules a definition must keep, by what is stored of it.
#pragma once

#include "api/apiextensions_v1.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// The rules for a new definition.
Requirements RequirementsOfNew(const Environment& environment);

/// The rules for `next`, which replaces `old`. O(size of both).
Requirements RequirementsOfChange(const api::apiextensions_v1::CustomResourceDefinition& next,
                                  const api::apiextensions_v1::CustomResourceDefinition& old,
                                  const Environment& environment);

}  // namespace dray::custom::definitions
