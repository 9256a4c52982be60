// SPDX-License-Identifier: Apache-2.0
// Kubernetes' strategic merge patch on trees.
#pragma once

#include <cstddef>

#include "api/reflect.h"
#include "base/result.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {

/// Elements of lists that one patch may walk over: so many, and one for so many bytes of patch and
/// document. Each list is walked over once or twice for each element of the patch that names what
/// it is in, which is once but in a patch that repeats itself.
inline constexpr size_t kMergeWorkMin = 50'000;
inline constexpr size_t kBytesPerMergeWork = 8;

/// Merges `patch`, an object, into `document` as the fields of `type` say. `document` is of no use
/// after an error. `bytes`: of both as text. Linear in that.
///
/// Errors: kBadRequest, kInvalid, kUnknown  the patch contradicts itself or the type, in upstream's
///                                          words.
///         kRequestEntityTooLarge           it walks over more elements than that.
Result<> ApplyStrategicMerge(const api::Type& type,
                             JsonTree patch,
                             JsonTree& document,
                             size_t bytes);

}  // namespace dray::server::patch
