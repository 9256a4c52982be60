// SPDX-License-Identifier: Apache-2.0
// What DELETE may be asked.
#pragma once

#include <cstdint>

#include "api/meta_v1/options.h"
#include "base/result.h"

namespace dray::server::verbs {

/// kUnsafe: of what cannot be read (ignoreStoreReadErrorWithClusterBreakingPotential).
enum class Deletion : uint8_t { kUsual, kUnsafe };

/// Errors: kInvalid  an unknown policy, a policy together with orphanDependents, or something that
/// an unsafe deletion cannot heed.
Result<> CheckDeleteOptions(const api::meta_v1::DeleteOptions& options, Deletion deletion);

/// What an unsafe deletion of a whole collection is told.
Error NoUnsafeCollections();

}  // namespace dray::server::verbs
