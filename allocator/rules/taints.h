// SPDX-License-Identifier: Apache-2.0
// Taints on devices and the tolerations that accept them (KEP-5055).
#pragma once

#include <span>

#include "api/resource_v1/slice.h"
#include "dray/features.h"

namespace dray::allocator::rules {

/// Whether a toleration accepts a taint: effect and key when given, and the value unless the
/// operator is Exists. tolerationSeconds does not matter here. No toleration accepts a taint
/// without a key: the API has none, and a caller bans a device with one.
bool Tolerates(const api::resource_v1::DeviceToleration& toleration,
               const api::resource_v1::DeviceTaint& taint);

/// The first taint with effect NoSchedule or NoExecute that no toleration accepts; null when there
/// is none. Other effects never stand in the way.
const api::resource_v1::DeviceTaint* BlockingTaint(
    const api::resource_v1::Device& device,
    std::span<const api::resource_v1::DeviceToleration> tolerations);

/// The taint that keeps the device from a request with these tolerations; null: none does. While
/// the feature is off, only a taint without a key does.
const api::resource_v1::DeviceTaint* TaintInTheWay(
    const api::resource_v1::Device& device,
    std::span<const api::resource_v1::DeviceToleration> tolerations,
    const Features& features);

}  // namespace dray::allocator::rules
