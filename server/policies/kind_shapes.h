// SPDX-License-Identifier: Apache-2.0
// The structs of kinds as shapes of schemas, so that expressions about built-in and custom kinds
// are checked alike.
#pragma once

#include <memory>

#include "api/reflect.h"
#include "api/release.h"
#include "custom/rules/shape.h"

namespace dray::server::policies {

/// What documents of `type`, a struct, look like in a release. As upstream reads its OpenAPI
/// documents: a struct inside itself has no fields there, and quantities and values that are
/// numbers or texts are left out. O(fields of all structs inside).
std::unique_ptr<const custom::rules::Shape> ShapeOfType(const api::Type& type,
                                                        api::Release release);

}  // namespace dray::server::policies
