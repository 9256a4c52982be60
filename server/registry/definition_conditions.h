// SPDX-License-Identifier: Apache-2.0
// The life of a CustomResourceDefinition as its status tells it. Pure functions.
#pragma once

#include <optional>
#include <span>

#include "api/apiextensions_v1.h"
#include "api/value/time.h"

namespace dray::server::registry {

/// Whether requests for its kinds are answered: once its names were accepted, or it was
/// established.
bool IsServed(const api::apiextensions_v1::CustomResourceDefinition& definition);

/// The next status that a controller writes, in upstream's order; nothing when all is said.
/// `others` are the definitions of the same group.
std::optional<api::apiextensions_v1::CustomResourceDefinition> NextStatus(
    const api::apiextensions_v1::CustomResourceDefinition& definition,
    std::span<const api::apiextensions_v1::CustomResourceDefinition* const> others,
    api::Time now);

/// Whether the definition, which goes, waits for its objects to be deleted.
bool HoldsObjects(const api::apiextensions_v1::CustomResourceDefinition& definition);

/// The definition without objects: nothing of this server holds it any more.
api::apiextensions_v1::CustomResourceDefinition Emptied(
    api::apiextensions_v1::CustomResourceDefinition definition, api::Time now);

/// What the first DELETE makes of a definition.
void MarkDeleted(api::apiextensions_v1::CustomResourceDefinition& definition);

}  // namespace dray::server::registry
