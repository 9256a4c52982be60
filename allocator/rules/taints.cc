// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/taints.h"

#include <algorithm>

namespace dray::allocator::rules {

namespace v1 = api::resource_v1;

bool Tolerates(const v1::DeviceToleration& toleration, const v1::DeviceTaint& taint) {
  if (taint.key.empty()) return false;
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
    return toleration.value == taint.value;
  }
  return toleration.operator_ == "Exists";
}

const v1::DeviceTaint* BlockingTaint(const v1::Device& device,
                                     std::span<const v1::DeviceToleration> tolerations) {
  for (const v1::DeviceTaint& taint : device.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    const bool tolerated = std::ranges::any_of(
        tolerations,
        [&](const v1::DeviceToleration& toleration) { return Tolerates(toleration, taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

const v1::DeviceTaint* TaintInTheWay(const v1::Device& device,
                                     std::span<const v1::DeviceToleration> tolerations,
                                     const Features& features) {
  if (features.device_taints) return BlockingTaint(device, tolerations);
  const auto ban = std::ranges::find(device.taints, "", &v1::DeviceTaint::key);
  return ban == device.taints.end() ? nullptr : &*ban;
}

}  // namespace dray::allocator::rules
