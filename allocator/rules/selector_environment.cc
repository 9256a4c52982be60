// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/selector_environment.h"

namespace dray::allocator::rules {

cel::Environment EnvironmentOf(const Features& features) {
  return {.release = features.release,
          .consumable_capacity = features.consumable_capacity,
          .list_type_attributes = features.list_type_attributes};
}

}  // namespace dray::allocator::rules
