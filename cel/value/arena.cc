// SPDX-License-Identifier: Apache-2.0
#include "cel/value/arena.h"

#include <algorithm>

namespace dray::cel::inline value {

Arena::~Arena() {
  for (const Destructor& destructor : destructors_) destructor.destroy(destructor.object);
}

void ValueBuffer::Grow() {
  constexpr size_t kFirst = 8;
  const std::span<Value> bigger = arena_.NewValues(std::max(kFirst, 2 * items_.size()));
  std::ranges::copy(items(), bigger.begin());
  items_ = bigger;
}

}  // namespace dray::cel::inline value
