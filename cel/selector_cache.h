// SPDX-License-Identifier: Apache-2.0
// Compiled selectors by their text, for any number of threads.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/lazy.h"
#include "base/mutex.h"
#include "base/result.h"
#include "cel/selector.h"

namespace dray::cel {

/// Keeps the most recently used expressions, with their compile errors: failing again is cheap.
class SelectorCache {
 public:
  /// `entries_max` is at least 1. An entry is at most some hundred kilobytes (kExpressionBytesMax).
  SelectorCache(Environment environment, size_t entries_max);

  /// As Selector::Compile. However many threads ask for a new text at once, one of them compiles
  /// it, outside the lock, and the others wait for it.
  Result<Selector> Compile(std::string_view expression);

  const Environment& environment() const { return environment_; }
  size_t size() const;

 private:
  using Compiled = Lazy<Result<Selector>>;
  struct Entry {
    std::string expression;
    std::shared_ptr<const Compiled> compiled;
  };
  using Entries = std::list<Entry>;

  /// The entry of `expression`, made if there is none.
  std::shared_ptr<const Compiled> Find(std::string_view expression);

  const Environment environment_;
  const size_t entries_max_;
  mutable Mutex mutex_;
  Entries entries_ DRAY_GUARDED_BY(mutex_);  // the most recently used first
  // Keys live in the entries.
  std::unordered_map<std::string_view, Entries::iterator> index_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::cel
