// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinitions: what the server decides about one, and what may be wrong with it, in
// upstream's words and order. Pure functions; the life of a definition is in lifecycle.h.
//
// Upstream reads the values in a schema (default, enum, example) and writes them again; so does
// preparing a definition, so that equal values are equal texts.
#pragma once

#include <vector>

#include "api/apiextensions_v1.h"
#include "base/result.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// What a new definition begins with: a status that names its storage version and nothing else.
void PrepareNew(api::apiextensions_v1::CustomResourceDefinition& next);

/// Notes the storage version among those that objects may be stored in. Precondition: `next` has
/// the status of the definition that it replaces.
void PrepareChange(api::apiextensions_v1::CustomResourceDefinition& next);

/// What is wrong with a new definition besides its metadata. Linear in its size, besides regular
/// expressions, which have a budget (patterns.h). At most api::validation::kCausesMax and one.
std::vector<ErrorCause> ValidateDefinition(
    const api::apiextensions_v1::CustomResourceDefinition& next, const Environment& environment);

/// What is wrong with `next` in place of `old`. A rule that `old` breaks already may be broken by
/// `next`, too, if upstream added the rule later.
std::vector<ErrorCause> ValidateDefinitionChange(
    const api::apiextensions_v1::CustomResourceDefinition& next,
    const api::apiextensions_v1::CustomResourceDefinition& old,
    const Environment& environment);

/// What is wrong with a status that a client wrote. Versions that objects are stored in are not
/// checked here; the next change of the definition is.
std::vector<ErrorCause> ValidateDefinitionStatus(
    const api::apiextensions_v1::CustomResourceDefinition& next);

}  // namespace dray::custom::definitions
