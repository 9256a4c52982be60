// SPDX-License-Identifier: Apache-2.0
// Taints on devices and the tolerations that accept them (KEP-5055).
#pragma once

#include <span>

#include "api/resource_v1/slice.h"

namespace dray::allocator::rules {

/// Whether a toleration accepts a taint: effect and key when given, and the value unless the
/// operator is Exists. tolerationSeconds does not matter here.
bool Tolerates(const api::resource_v1::DeviceToleration& toleration,
               const api::resource_v1::DeviceTaint& taint);

/// The first taint with effect NoSchedule or NoExecute that no toleration accepts; null when there
/// is none. Other effects never stand in the way.
const api::resource_v1::DeviceTaint* BlockingTaint(
    const api::resource_v1::Device& device,
    std::span<const api::resource_v1::DeviceToleration> tolerations);

}  // namespace dray::allocator::rules
