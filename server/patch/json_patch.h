// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902) on trees.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {

/// Operations of one patch (upstream's limit).
inline constexpr size_t kOperationsMax = 10'000;
/// Limit of the array elements moved and values visited by one patch, because 10 000 inserts at the
/// front of a huge list would otherwise keep a thread busy for minutes.
inline constexpr size_t kPatchWorkMax = 10'000'000;
/// Limit of the bytes that the `copy` operations of one patch add together, because a small patch
/// could otherwise grow a document exponentially by copying it into itself.
inline constexpr size_t kCopiedBytesMax = size_t{3} << 20;

/// Carries `patch`, any JSON value, out on `document`, whose content is of no use after an error.
///
/// Errors: kBadRequest             it is no list of operations.
///         kInvalid                an operation cannot be carried out, in the words of the library
///                                 that upstream uses.
///         kRequestEntityTooLarge  more than kOperationsMax.
Result<> ApplyJsonPatch(JsonTree patch, JsonTree& document);

/// Whether an error of ApplyJsonPatch is that of a `test` whose value is another one.
bool IsTestFailure(const Error& error);

}  // namespace dray::server::patch
