// SPDX-License-Identifier: Apache-2.0
// Kubernetes' strategic merge patch on trees.
#pragma once

#include <cstddef>

#include "api/reflect.h"
#include "base/result.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {

/// Limits of the list elements that one patch may visit: this many, and one for so many bytes of
/// patch and document. Each list is visited once or twice for each element of the patch that names
/// its parent, which is once unless the patch has duplicates.
inline constexpr size_t kMergeWorkMin = 50'000;
inline constexpr size_t kBytesPerMergeWork = 8;

/// Merges `patch`, an object, into `document` by the rules of the fields of `type`. `document` is
/// invalid after an error. `bytes`: the length of both as text. Linear in that.
///
/// Errors: kBadRequest, kInvalid, kUnknown  the patch contradicts itself or the type, in upstream's
///                                          words.
///         kRequestEntityTooLarge           it visits too many elements.
Result<> ApplyStrategicMerge(const api::Type& type,
                             JsonTree patch,
                             JsonTree& document,
                             size_t bytes);

}  // namespace dray::server::patch
