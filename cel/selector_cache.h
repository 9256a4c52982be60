// SPDX-License-Identifier: Apache-2.0
// Compiled selectors by their text, for as many threads as like.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"
#include "cel/selector.h"

namespace dray::cel {

/// Keeps the most recently used expressions, with their compile errors: failing again is cheap.
class SelectorCache {
 public:
  /// `entries_max` is at least 1. An entry is at most some hundred kilobytes (kExpressionBytesMax).
  SelectorCache(Environment environment, size_t entries_max);

  /// As Selector::Compile. Compiles outside the lock; two threads that ask for the same new text at
  /// once may both compile it.
  Result<Selector> Compile(std::string_view expression);

  size_t size() const;

 private:
  struct Entry {
    std::string expression;
    Result<Selector> result;
  };
  using Entries = std::list<Entry>;

  const Environment environment_;
  const size_t entries_max_;
  mutable Mutex mutex_;
  Entries entries_ DRAY_GUARDED_BY(mutex_);  // the most recently used first
  // Keys live in the entries.
  std::unordered_map<std::string_view, Entries::iterator> index_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::cel
