// SPDX-License-Identifier: Apache-2.0
#include "allocator/allocator.h"

#include <algorithm>
#include <utility>

namespace dray::allocator {

Allocator::Allocator(Snapshot snapshot, SearchOptions options)
    : snapshot_(std::move(snapshot)), options_(options) {}

Allocator::Allocator(Frozen<Inventory> inventory,
                     Frozen<AllocatedState> state,
                     std::shared_ptr<cel::SelectorCache> selectors,
                     Features features)
    : snapshot_(
          {.features = features, .selectors = std::move(selectors)}, std::move(inventory), *state) {
}

Allocator::~Allocator() = default;

Result<Outcome> Allocator::Allocate(const api::core_v1::Node& node,
                                    Attempt::Claims claims,
                                    Budget budget) const {
  return AttemptFor(claims)->Allocate(node, budget);
}

std::shared_ptr<const Attempt> Allocator::AttemptFor(Attempt::Claims claims) const {
  const MutexLock lock(mutex_);
  if (attempt_ == nullptr || !std::ranges::equal(attempt_->claims(), claims))
    attempt_ = std::make_shared<const Attempt>(snapshot_, claims, options_);
  return attempt_;
}

}  // namespace dray::allocator
