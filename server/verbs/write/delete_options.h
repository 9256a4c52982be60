// SPDX-License-Identifier: Apache-2.0
// Checks of the options of DELETE.
#pragma once

#include <cstdint>

#include "api/meta_v1/options.h"
#include "base/result.h"

namespace dray::server::verbs::inline write {

/// kUnsafe: the object cannot be read (ignoreStoreReadErrorWithClusterBreakingPotential).
enum class Deletion : uint8_t { kUsual, kUnsafe };

/// Errors: kInvalid  an unknown propagation policy; a policy together with orphanDependents; an
///         option that an unsafe deletion does not allow.
Result<> CheckDeleteOptions(const api::meta_v1::DeleteOptions& options, Deletion deletion);

/// The error for an unsafe deletion of a whole collection.
Error NoUnsafeCollections();

}  // namespace dray::server::verbs::inline write
