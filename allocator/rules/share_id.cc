// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/share_id.h"

#include <fmt/format.h>

#include "base/text_uuid.h"

namespace dray::allocator::rules {

std::string ShareIdOf(const ClaimPlan& plan, const Variant& variant, const DeviceEntry& device) {
  const DeviceIdView id = device.id();
  return UuidOf(fmt::format("{}\n{}\n{}/{}\n{}/{}/{}",
                            plan.claim->metadata.uid,
                            plan.key,
                            variant.name.base,
                            variant.name.alternative,
                            id.driver,
                            id.pool,
                            id.device));
}

}  // namespace dray::allocator::rules
