// SPDX-License-Identifier: Apache-2.0
// The three kinds of patches that do not depend on managed fields: JSON patch (RFC 6902), JSON
// merge patch (RFC 7386) and Kubernetes' strategic merge patch. All work on JSON texts. The caller
// decodes, defaults and validates the result like the body of an update.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/release.h"
#include "base/result.h"

namespace dray::server::patch {

enum class PatchType : uint8_t { kJson, kMerge, kStrategicMerge, kApply };

/// Limit of the bytes of the patched document, like that of a request body.
inline constexpr size_t kPatchedBytesMax = size_t{8} << 20;

/// Applies the patch `patch_json` to `current_json`, an object of `kind`, and returns the patched
/// object as JSON. Members of objects keep their order, and new ones come last; of a member that
/// occurs twice in the patch the last one counts.
///
/// Not for PatchType::kApply, which needs managed fields (kBadRequest).
///
/// Errors, with the words of `release`:
///     kBadRequest             the patch is not JSON or not of the form of its type.
///     kInvalid                a JSON patch cannot be carried out (missing path, failed test, …).
///     kRequestEntityTooLarge  too many operations, too much copied or merged.
///     kUnknown                a strategic merge patch contradicts itself (HTTP 500, as upstream).
/// Cost: linear in both texts. kMergeWorkMin and more bound merging a list repeatedly;
/// kPatchWorkMax bounds moving its elements.
Result<std::string> ApplyPatch(PatchType type,
                               const api::KindInfo& kind,
                               std::string_view current_json,
                               std::string_view patch_json,
                               api::Release release = api::Release::kAny);

}  // namespace dray::server::patch
