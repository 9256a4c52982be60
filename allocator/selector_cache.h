// SPDX-License-Identifier: Apache-2.0
// What is behind the name SelectorCache of the face (<dray/selector.h>). Not installed.
#pragma once

#include "cel/selector_cache.h"

namespace dray::allocator::inline v0 {

class SelectorCache final : public cel::SelectorCache {
 public:
  using cel::SelectorCache::SelectorCache;
};

}  // namespace dray::allocator::inline v0
