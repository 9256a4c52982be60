// SPDX-License-Identifier: Apache-2.0
// Kubernetes' strategic merge patch on trees.
#pragma once

#include "api/reflect.h"
#include "base/result.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {

/// Merges `patch`, an object, into `document` as the fields of `type` say. `document` is of no use
/// after an error. Linear in both, but for lists merged by key: elements of the patch times
/// elements of the document.
///
/// Errors: kBadRequest, kInvalid, kUnknown  the patch contradicts itself or the type, in upstream's
///                                          words.
Result<> ApplyStrategicMerge(const api::Type& type, JsonTree patch, JsonTree& document);

}  // namespace dray::server::patch
