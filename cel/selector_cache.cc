// SPDX-License-Identifier: Apache-2.0
#include "cel/selector_cache.h"

#include <algorithm>

#include "cel/syntax/limits.h"

namespace dray::cel {

SelectorCache::SelectorCache(Environment environment, size_t entries_max)
    : environment_(environment), entries_max_(std::max<size_t>(entries_max, 1)) {}

Result<Selector> SelectorCache::Compile(std::string_view expression) {
  {
    const MutexLock lock(mutex_);
    const auto found = index_.find(expression);
    if (found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->result;
    }
  }
  Result<Selector> result = Selector::Compile(expression, environment_);
  if (expression.size() > kExpressionBytesMax) return result;
  const MutexLock lock(mutex_);
  if (index_.contains(expression)) return result;
  entries_.push_front({std::string(expression), result});
  index_.emplace(entries_.front().expression, entries_.begin());
  if (entries_.size() > entries_max_) {
    index_.erase(entries_.back().expression);
    entries_.pop_back();
  }
  return result;
}

size_t SelectorCache::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace dray::cel
