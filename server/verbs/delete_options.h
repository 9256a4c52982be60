// SPDX-License-Identifier: Apache-2.0
// What DELETE may be asked.
#pragma once

#include "api/meta_v1/options.h"
#include "base/result.h"

namespace dray::server::verbs {

/// Errors: kInvalid  an unknown policy, or a policy together with orphanDependents.
Result<> CheckDeleteOptions(const api::meta_v1::DeleteOptions& options);

}  // namespace dray::server::verbs
