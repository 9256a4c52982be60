// SPDX-License-Identifier: Apache-2.0
// The three patches that need no memory of earlier writers: JSON patch (RFC 6902), JSON merge patch
// (RFC 7386) and Kubernetes' strategic merge patch. All work on JSON texts: whoever calls decodes,
// defaults and validates the outcome like the body of an update.
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

/// Bytes of the patched document: what a patch makes is bounded like what a body may say.
inline constexpr size_t kPatchedBytesMax = size_t{8} << 20;

/// Applies the patch `patch_json` to `current_json`, an object of `kind`, and returns the patched
/// object as JSON. Members of objects keep their order, new ones come last; a member named twice in
/// the patch counts as written last.
///
/// Not for PatchType::kApply, which needs managed fields (kBadRequest).
///
/// Errors, with the words of `release`:
///   kBadRequest             the patch is not JSON or not of the form its type asks for.
///   kInvalid                a JSON patch cannot be carried out (missing path, failed test, …).
///   kRequestEntityTooLarge  too many operations, too much copied or merged.
///   kUnknown                a strategic merge patch contradicts itself (HTTP 500, as upstream).
/// Cost: linear in both texts; lists that a patch merges again and again are bounded by
/// kMergeWorkMin and more, elements that it shifts by kPatchWorkMax.
Result<std::string> ApplyPatch(PatchType type,
                               const api::KindInfo& kind,
                               std::string_view current_json,
                               std::string_view patch_json,
                               api::Release release = api::Release::kAny);

}  // namespace dray::server::patch
