// SPDX-License-Identifier: Apache-2.0
// What objects of a kind look like to expressions that know their types.
#pragma once

#include <memory>

#include "api/kind.h"
#include "api/release.h"
#include "custom/rules/shape.h"

namespace dray::server::registry {

/// With kind, apiVersion and all of metadata, which the schema of a custom kind need not name; null
/// if nothing is known of the kind. O(its schema).
std::unique_ptr<const custom::rules::Shape> TypeShapeOf(const api::KindInfo& kind,
                                                        api::Release release);

}  // namespace dray::server::registry
