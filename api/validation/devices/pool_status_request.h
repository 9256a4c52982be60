// SPDX-License-Identifier: Apache-2.0
// Rules for ResourcePoolStatusRequests (KEP-5677). Rules for ObjectMeta are elsewhere. Nearly all
// rules are declarations, also in 1.36.
#pragma once

#include <cstddef>
#include <vector>

#include "api/resource_v1alpha3.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

inline constexpr int kPoolLimitMax = 1000;
inline constexpr size_t kPoolStatusesMax = 1000;
inline constexpr size_t kPoolConditionsMax = 10;
inline constexpr size_t kPoolErrorMax = 256;
inline constexpr size_t kPoolSummaryMax = 32;

std::vector<ErrorCause> ValidatePoolRequest(
    const resource_v1alpha3::ResourcePoolStatusRequest& request, const Options& options);
std::vector<ErrorCause> ValidatePoolRequestUpdate(
    const resource_v1alpha3::ResourcePoolStatusRequest& request,
    const resource_v1alpha3::ResourcePoolStatusRequest& old,
    const Options& options);
/// The status can be written only once.
std::vector<ErrorCause> ValidatePoolRequestStatus(
    const resource_v1alpha3::ResourcePoolStatusRequest& request,
    const resource_v1alpha3::ResourcePoolStatusRequest& old,
    const Options& options);

}  // namespace dray::api::validation::inline devices
