// SPDX-License-Identifier: Apache-2.0
#include "cel/selector_cache.h"

#include <algorithm>

#include "cel/syntax/limits.h"

namespace dray::cel {

SelectorCache::SelectorCache(Environment environment, size_t entries_max)
    : environment_(environment), entries_max_(std::max<size_t>(entries_max, 1)) {}

std::shared_ptr<const SelectorCache::Compiled> SelectorCache::Find(std::string_view expression) {
  const MutexLock lock(mutex_);
  const auto found = index_.find(expression);
  if (found != index_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->compiled;
  }
  entries_.push_front({std::string(expression), std::make_shared<Compiled>()});
  index_.emplace(entries_.front().expression, entries_.begin());
  if (entries_.size() > entries_max_) {
    index_.erase(entries_.back().expression);
    entries_.pop_back();
  }
  return entries_.front().compiled;
}

Result<Selector> SelectorCache::Compile(std::string_view expression) {
  // An expression that is too long is refused and takes no room in the cache.
  if (expression.size() > syntax::kExpressionBytesMax)
    return Selector::Compile(expression, environment_);
  return Find(expression)->Get([&] { return Selector::Compile(expression, environment_); });
}

size_t SelectorCache::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace dray::cel
